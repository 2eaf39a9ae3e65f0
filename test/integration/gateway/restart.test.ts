import "../../support/leak-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { until } from "../../support/until.ts";

/** The versions that a gateway serves after a restart, where the newest ones are refused. */

let backend: GatewayBackend;

beforeAll(async () => {
  backend = await startGatewayBackend();
});
afterAll(() => backend.close());

const plane = { type: "project", name: "heavy", uid: "heavy", organization: "acme" } as const;
const target = () => ({ scheme: "http", host: "127.0.0.1", port: backend.port }) as const;
const change = (name: string, value: string, count: number) => ({
  set: Array.from({ length: count }, (_, index) => ({ name: `${name}-${index}`, value })),
  ...{ add: [], remove: [] },
});
const section = (): RuleParts[] => [{ backend: target(), requestHeaders: [change("x", "a", 1)] }];
/** More than its project may have. */
const heavy = (): RuleParts[] =>
  Array.from({ length: 16 }, () => ({
    backend: target(),
    requestHeaders: [change("x", "%".repeat(600), 64)],
  }));
const edited = (program: RouteProgram, rules: readonly RuleParts[]): RouteProgram => ({
  ...program,
  ...{ matches: programOf(rules).matches, rules: programOf(rules).rules },
});

const refused = "HAProxy does not accept it; an earlier version is served";
const cases: readonly (readonly [
  name: string,
  before: () => RuleParts[],
  edit: () => RuleParts[],
  string,
])[] = [
  ["a plain program that HAProxy refuses", () => [{ backend: target() }], () => [{ respond: 999 }], refused],
  ["a section that HAProxy refuses", section, () => [{ respond: 998 }], refused],
  ["control characters", section, () => [{ rewriteHostname: "a\nb", backend: target() }], "control"],
  ["more than a project's share", section, heavy, "more than 32 MiB"],
];

const statusOf = async (gateway: RunningGateway, program: RouteProgram): Promise<number> =>
  (await send(gateway.port, program)).status;
const untilReported = (gateway: RunningGateway, count: number): Promise<void> =>
  until(
    "it has reported on what is checked",
    () => [...gateway.programs.reports.values()].filter(({ pending }) => !pending).length === count,
    30_000,
  );

test.each([
  ["while the gateway runs", true],
  ["while no gateway runs", false],
])("what was served before an edit %s is served after the restart", async (_, isRunning) => {
  const programs = cases.map(([name, before]) => ({ ...programOf(before(), { plane }), name }));
  const edits = programs.map((program, index) => edited(program, cases[index]?.[2]() ?? []));
  const gone = programOf(section());
  const corrected = programOf(section());
  let gateway = await startGateway();
  const store = gateway.programs;
  await gateway.load(...programs, gone, corrected);
  const make = async (): Promise<void> => {
    for (const edit of edits) await store.put(edit);
    await store.put(edited(gone, [{ respond: 999 }]));
    await store.put(edited(corrected, [{ respond: 999 }]));
  };
  if (isRunning) {
    await make();
    await untilReported(gateway, edits.length + 2);
  }
  const reports = new Map(store.reports);
  await gateway[Symbol.asyncDispose]();
  if (!isRunning) await make();
  await store.remove(gone.gateway);
  await store.put(edited(corrected, [{ respond: 501 }]));

  // Once more: what is served does not depend on the gateway that loaded it first.
  for (let restart = isRunning ? 0 : 1; restart < 2; restart++) {
    store.reports.clear();
    gateway = await startGateway({ programs: store });
    try {
      await untilReported(gateway, edits.length);
      for (const [index, [name, , , why]] of cases.entries()) {
        const program = programs[index] as RouteProgram;
        expect([name, await statusOf(gateway, program)]).toEqual([name, 200]);
        const report = store.reports.get(program.gateway);
        expect(report?.refused, name).toContain(why);
        expect(report?.refused, name).toContain("; an earlier version is served");
        if (isRunning) expect(report).toEqual(reports.get(program.gateway));
      }
      expect([await statusOf(gateway, gone), await statusOf(gateway, corrected)]).toEqual([404, 501]);
      await until("nothing else is kept", () => store.kept.size === edits.length);
    } finally {
      await gateway[Symbol.asyncDispose]();
    }
  }
});
