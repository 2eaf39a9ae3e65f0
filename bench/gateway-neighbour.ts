import { sleep } from "../src/base/core/clock.ts";
import type { RouteProgram } from "../src/platform/routing/route-program.ts";
import { startGatewayBackend } from "../test/support/gateway/gateway-backend.ts";
import { send } from "../test/support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../test/support/gateway/route-program.ts";
import { startGateway } from "../test/support/gateway/running-gateway.ts";
import { numberOptions } from "./support/options.ts";
import { childrenUsage } from "./support/process-usage.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * A hostile project beside a plain neighbour on one gateway: the time from an edit of the neighbour's proxy until
 * a request is served by it, and HAProxy's memory. The hostile project has as many Gateways as its quota of bytes
 * allows, each with as much as the routes of one Gateway may have: header filters, conditions and https backends
 * by turns. It edits one of them every so many milliseconds.
 */
const options = numberOptions({ gateways: 130, edits: 5, pace: 10_000 });
const { signal } = new AbortController();
const hostilePlane = { type: "project", name: "mallory", uid: "mallory-uid", organization: "evil" } as const;
/** After this long an edit counts as never live. */
const limitMs = 120_000;

await using backend = await startGatewayBackend();
await using gateway = await startGateway({ lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
const target = { scheme: "http", host: "127.0.0.1", port: backend.port } as const;
const neighbour = programOf([{ backend: target }]);
await gateway.load(neighbour);
const masterPid = await gateway.masterPid();
const megabytesNow = (): number => megabytes(childrenUsage(masterPid).residentBytes);

const table: Record<string, object> = {};
const alone = await measure("alone");

const hostile = Array.from({ length: options.gateways }, (_, index) => hostileProgram(index));
for (const program of hostile) await gateway.programs.put(program);
const first = await timeToLive();
const stop = new AbortController();
const editing = editAsPaced(stop.signal);
const beside = await measure("beside the hostile project", first);
stop.abort();
await editing;
console.table(table);
print(`refused or waiting: ${gateway.programs.reports.size} of ${hostile.length} hostile programs`);
process.exitCode = printVerdicts([
  { what: "the neighbour's worst edit, alone", figure: round(alone.worst), unit: "s", atMost: 3 },
  { what: "the neighbour's worst edit, beside it", figure: round(beside.worst), unit: "s", atMost: 3 },
  { what: "HAProxy's memory", figure: beside.megabytes, unit: "MB", atMost: 256 },
]);

async function measure(what: string, ...before: readonly number[]) {
  const seconds = [...before];
  let most = 0;
  for (let edit = 0; edit < options.edits; edit++) {
    await sleep(2_000, signal);
    seconds.push(await timeToLive());
    // A worker that ends has no memory.
    most = Math.max(most, megabytesNow() || 0);
  }
  const sorted = seconds.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? Number.NaN;
  const worst = sorted.at(-1) ?? Number.NaN;
  table[what] = { "median s": round(median), "worst s": round(worst), "HAProxy MB": most };
  return { worst, megabytes: most };
}

/** Seconds from an edit of the neighbour's proxy until a request is served by it. */
async function timeToLive(): Promise<number> {
  const location = `/${performance.now()}`;
  const redirect = { path: { type: "full", path: location }, statusCode: 302 } as const;
  await gateway.programs.put({ ...programOf([{ redirect }]), gateway: neighbour.gateway });
  const startedMs = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    const answer = await send(gateway.port, neighbour, { path: "/" }).catch(() => undefined);
    if (String(answer?.headers["location"]).endsWith(location)) return elapsedMs / 1_000;
    if (elapsedMs > limitMs) return Number.POSITIVE_INFINITY;
    await sleep(20, signal);
  }
}

async function editAsPaced(until: AbortSignal): Promise<void> {
  for (let edit = 0; !until.aborted; edit++) {
    const edited = hostile[edit % hostile.length];
    if (edited === undefined) return;
    const matches = [
      { path: { type: "Exact", value: `/edit-${edit}` }, headers: [], queryParams: [], rule: 0 },
    ];
    await gateway.programs.put({
      ...edited,
      matches: [...matches, ...edited.matches.slice(1)],
    } as RouteProgram);
    await sleep(options.pace, until).catch(() => undefined);
  }
}

/** About as much as the routes of one Gateway may have. */
function hostileProgram(index: number): RouteProgram {
  const kinds = [headerRules, conditionRules, httpsRules];
  const rules = kinds[index % kinds.length]?.() ?? [];
  return programOf(rules, { plane: hostilePlane, name: `hostile-${index}` });
}

function headerRules(): RuleParts[] {
  const set = Array.from({ length: 64 }, (_, header) => ({ name: `x-header-${header}`, value: "a%b c" }));
  const changes = [{ set, add: [], remove: [] }];
  return Array.from({ length: 256 }, (_, rule) => ({
    matches: [{ path: { type: "Exact", value: `/${rule}` } }],
    ...{ backend: target, requestHeaders: changes },
  }));
}

function conditionRules(): RuleParts[] {
  return Array.from({ length: 250 }, (_, rule) => ({
    matches: Array.from({ length: 4 }, (_, match) => ({
      path: { type: "PathPrefix", value: `/${rule}/${match}` } as const,
      headers: [{ name: `x-${rule}`, value: String(match) }],
    })),
    backend: target,
  }));
}

function httpsRules(): RuleParts[] {
  return Array.from({ length: 256 }, (_, rule) => ({
    matches: [{ path: { type: "Exact", value: `/${rule}` } }],
    backend: { scheme: "https", host: "b.example", port: 10_000 + rule } as const,
  }));
}
