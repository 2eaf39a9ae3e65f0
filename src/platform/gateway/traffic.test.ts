import { expect, test } from "vitest";
import { TrafficCounts } from "./traffic.ts";

const uid = "00000000-0000-4000-8000-000000000001";
const head = "# pxname,svname,scur,bin,bout,hrsp_1xx,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,hrsp_other,ttime,";

const statistics = (requests: number): string =>
  `${head}\nunknown,BACKEND,0,1,1,0,9,0,0,0,0,0,\ngateway-${uid},BACKEND,2,${requests * 10},${requests * 100},0,${requests},0,1,0,0,250,\n`;

type Workers = Readonly<Record<number, number | undefined>>;

/** Counts, with what each worker responds: its requests, or nothing. Undefined: no master responds. */
function setUp() {
  let answers: Map<number, string | undefined> | undefined;
  const counts = new TrafficCounts({
    async askAll() {
      if (answers === undefined) throw new Error("HAProxy does not respond on its socket");
      return answers;
    },
  });
  const after = async (workers: Workers | undefined) => {
    const response = (requests: number | undefined) =>
      requests === undefined ? undefined : statistics(requests);
    const entries = Object.entries(workers ?? {}).map(
      ([pid, each]) => [Number(pid), response(each)] as const,
    );
    answers = workers && new Map(entries);
    await counts.refresh().catch(() => undefined);
    const traffic = counts.byGateway().get(uid);
    return [traffic?.responses["2xx"], traffic?.receivedBytes, traffic?.sentBytes, traffic?.open];
  };
  return { counts, after };
}

test("what workers have counted adds up over reloads, and never falls", async () => {
  const { counts, after } = setUp();
  expect(await after({ 1: 5 })).toEqual([5, 50, 500, 2]);
  expect(await after({ 1: 7, 2: 1 })).toEqual([8, 80, 800, 4]);
  expect(await after({ 2: 3 })).toEqual([10, 100, 1000, 2]);
  expect(await after({})).toEqual([10, 100, 1000, 0]);
  expect(counts.byGateway().get(uid)?.responses).toMatchObject({ "4xx": 2, "5xx": 0 });
  counts.keepOnly(() => false);
  expect(counts.byGateway().size).toBe(0);
});

test("nothing is counted twice when no master responds for a while", async () => {
  const { after } = setUp();
  await after({ 1: 5 });
  expect(await after(undefined)).toEqual([5, 50, 500, 2]);
  expect(await after({ 1: 6, 2: 1 })).toEqual([7, 70, 700, 4]);
});

test("a worker that does not respond for once keeps what it counted", async () => {
  const { after } = setUp();
  await after({ 1: 5, 2: 1 });
  expect(await after({ 1: undefined, 2: 2, 3: undefined })).toEqual([7, 70, 700, 4]);
  expect(await after({ 1: 6, 2: 3, 3: 1 })).toEqual([10, 100, 1000, 6]);
  expect(await after({ 2: 3, 3: 1 })).toEqual([10, 100, 1000, 4]);
});
