import { expect, test } from "vitest";
import { TrafficCounts } from "./traffic.ts";

const uid = "00000000-0000-4000-8000-000000000001";
const head = "# pxname,svname,scur,bin,bout,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,ttime,";

const statistics = (requests: number): string =>
  `${head}\nunknown,BACKEND,0,1,1,0,9,0,0,0,0,0,\ngateway-${uid},BACKEND,2,${requests * 10},${requests * 100},0,${requests},0,1,0,0,250,\n`;

test("what workers have counted adds up over reloads, and never falls", async () => {
  let answers = new Map<number, string>();
  const counts = new TrafficCounts({ askAll: async () => answers });
  const after = async (workers: Record<number, number>) => {
    answers = new Map(Object.entries(workers).map(([pid, requests]) => [Number(pid), statistics(requests)]));
    await counts.refresh();
    const traffic = counts.byGateway().get(uid);
    return [traffic?.responses["2xx"], traffic?.receivedBytes, traffic?.sentBytes, traffic?.open];
  };
  expect(await after({ 1: 5 })).toEqual([5, 50, 500, 2]);
  expect(await after({ 1: 7, 2: 1 })).toEqual([8, 80, 800, 4]);
  expect(await after({ 2: 3 })).toEqual([10, 100, 1000, 2]);
  expect(await after({})).toEqual([10, 100, 1000, 0]);
  expect(counts.byGateway().get(uid)?.responses).toMatchObject({ "4xx": 2, "5xx": 0 });
  counts.keepOnly(() => false);
  expect(counts.byGateway().size).toBe(0);
});
