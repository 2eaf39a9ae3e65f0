import fc from "fast-check";
import { expect, test } from "vitest";
import { askSocket } from "../../../src/platform/gateway/haproxy/command-socket.ts";
import { parseProcesses } from "../../../src/platform/gateway/haproxy/haproxy-process.ts";
import type { ProgramRule, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** Programs that HAProxy is given as data. */
const requestsPerProxy = 12;
let gateway: RunningGateway;
let first: GatewayBackend;
let second: GatewayBackend;

setUpAll(async ({ keep }) => {
  first = await keep(startGatewayBackend({ name: "first" }));
  second = await keep(startGatewayBackend({ name: "second" }));
  gateway = await keep(startGateway({ limits: { requestsPerProxy } }));
});

const to = ({ port }: GatewayBackend, host = "127.0.0.1") => ({ scheme: "http", host, port }) as const;
const forward = (backend = first): RouteProgram => programOf([{ backend: to(backend) }]);
/** The same with a header that nobody sees: it needs a section. */
const changes = [{ set: [], add: [], remove: ["x-nobody-has-this"] }];
const asSection = ({ rules, ...program }: RouteProgram): RouteProgram => ({
  ...{ ...program, gateway: programOf([]).gateway },
  rules: rules.map((rule): ProgramRule => ({ ...rule, requestHeaders: changes })),
});

async function workers(): Promise<readonly number[]> {
  return parseProcesses(await askSocket(gateway.files.masterSocket, "show proc"))?.workers ?? [];
}

const served = (program: RouteProgram): Promise<string | number> => servedAt(program, "/");

async function servedAt(program: RouteProgram, path: string): Promise<string | number> {
  const answer = await send(gateway.port, program, { path });
  return answer.status === 200 ? answer.echo.name : answer.status;
}

test("none is made, edited or deleted by a reload, also after HAProxy was started again", async () => {
  const [steady, edited, deleted] = [forward(), forward(), forward()];
  await gateway.load(forward());
  const before = await workers();
  await gateway.load(steady, edited, deleted);
  expect(await Promise.all([steady, edited, deleted].map(served))).toEqual(["first", "first", "first"]);
  await gateway.load({ ...forward(second), gateway: edited.gateway });
  await gateway.unload(deleted.gateway);
  expect(await Promise.all([steady, edited, deleted].map(served))).toEqual(["first", "second", 404]);
  await gateway.load({ ...programOf([{ respond: 500 }]), gateway: edited.gateway });
  expect(await served(edited)).toBe(500);
  await gateway.load({ ...forward(second), gateway: edited.gateway });
  expect(await workers()).toEqual(before);

  // The files have what commands have changed.
  await askSocket(gateway.files.masterSocket, "reload");
  await until("it is reloaded", async () => String(await workers()) !== String(before), 10_000);
  expect(await Promise.all([steady, edited, deleted].map(served))).toEqual(["first", "second", 404]);
  process.kill((await workers())[0] as number, "SIGKILL");
  await until("it serves", async () => (await served(edited).catch(() => undefined)) === "second", 20_000);
  expect(await served(deleted)).toBe(404);
});

test("a program becomes a section and plain again, and is served all the time", async () => {
  const program = forward();
  await gateway.load(program);
  let isDone = false;
  const found = new Set<string | number>();
  const asking = (async () => {
    while (!isDone) found.add(await served(program));
  })();
  await gateway.load({ ...asSection(program), gateway: program.gateway });
  const before = await workers();
  await gateway.load(program);
  expect(await workers()).toEqual(before);
  isDone = true;
  await asking;
  expect([...found]).toEqual(["first"]);
});

test("an open request ends with the backend that it began with", async () => {
  const program = forward();
  await gateway.load(program);
  const slow = send(gateway.port, program, { path: "/slow/500?open" });
  await until("it arrived", () => first.received.some(({ url }) => url === "/slow/500?open"), 10_000);
  await gateway.load({ ...forward(second), gateway: program.gateway });
  expect(await served(program)).toBe("second");
  await gateway.unload(program.gateway);
  expect((await slow).echo.name).toBe("first");
});

test("more programs than there are slots are loaded with more slots; each has its own backend", async () => {
  const all = Array.from({ length: 150 }, (_, index) => forward(index % 2 === 0 ? first : second));
  await gateway.load(...all);
  const names = await Promise.all(all.map(served));
  expect(names).toEqual(all.map((_, index) => (index % 2 === 0 ? "first" : "second")));
  for (const { gateway: uid } of all) await gateway.programs.remove(uid);
  await until("they are gone", async () => (await served(all[149] as RouteProgram)) === 404, 10_000);
});

test("no response comes from a backend that the host never had, while hosts change all the time", async () => {
  const hosts = Array.from({ length: 6 }, () => forward());
  await gateway.load(...hosts);
  let isDone = false;
  // The first three only ever have the first backend; the others change.
  const wrong: (string | number)[] = [];
  const asking = hosts.slice(0, 3).map(async (program) => {
    while (!isDone) {
      const name = await served(program);
      if (name !== "first") wrong.push(name);
    }
  });
  for (let turn = 0; turn < 20; turn++) {
    const backend = turn % 2 === 0 ? second : first;
    const changed = hosts.slice(3).map(({ gateway: uid }) => ({ ...forward(backend), gateway: uid }));
    if (turn % 5 === 4) for (const { gateway: uid } of changed) await gateway.unload(uid);
    await gateway.load(...changed);
    const expected = turn % 2 === 0 ? "second" : "first";
    expect(await Promise.all(changed.map(served))).toEqual([expected, expected, expected]);
  }
  isDone = true;
  await Promise.all(asking);
  expect(wrong).toEqual([]);
});

/** What a client and the backend see, but for what differs with each request. Some uids have no letters. */
async function outcome(
  program: RouteProgram,
  make: (host: string) => string,
  isTls: boolean,
): Promise<unknown> {
  const host = hostOf(program.gateway);
  const { text } = await rawHttp(isTls ? gateway.tlsPort : gateway.port, make(host), {
    ...(isTls ? { serverName: host } : {}),
  });
  return text
    .replace(new RegExp(program.gateway, "gi"), "<uid>")
    .replace(/^date: .*$/gim, "")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "<id>")
    .replace(/"(port|remotePort)":\d+/g, "")
    .replace(/^content-length: \d+/gim, "");
}

const request = (host: string, path = "/", more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;

const prefix = (value: string) => ({ path: { type: "PathPrefix", value } as const });
const exact = (value: string) => ({ path: { type: "Exact", value } as const });

const programs: readonly (readonly [string, () => RuleParts[], Partial<RouteProgram>?])[] = [
  ["a backend", () => [{ backend: to(first) }]],
  ["a backend with another name", () => [{ backend: to(first), rewriteHostname: "b.example" }]],
  ["a backend with a limit", () => [{ backend: to(first), timeoutMs: 300 }]],
  ["a backend without a limit", () => [{ backend: to(first), timeoutMs: 0 }]],
  ["HTTP only", () => [{ backend: to(first) }], { listeners: ["http"] }],
  ["HTTPS only", () => [{ backend: to(first) }], { listeners: ["https"] }],
  ["no listener", () => [{ backend: to(first) }], { listeners: [] }],
  ["a blocked backend", () => [{ backend: to(first, "10.0.0.1") }]],
  ["a name without an address", () => [{ backend: to(first, "no.invalid") }]],
  ["a dead backend", () => [{ backend: { scheme: "http", host: "127.0.0.1", port: 1 } }]],
  ["no backend", () => [{ respond: 500 }]],
  ["none ready", () => [{ respond: 503 }]],
  ["a path", () => [{ backend: to(first), matches: [prefix("/foo")] }]],
  [
    "paths of one backend",
    () => [
      { backend: to(first), matches: [exact("/foo"), prefix("/foo/x")], rewriteHostname: "b.example" },
      { backend: to(first), matches: [prefix("/f%6F%6f%2fx")], timeoutMs: 300 },
    ],
  ],
  [
    "paths of several backends",
    () => [
      { backend: to(second), matches: [exact("/foo/x"), prefix("/bar")] },
      { backend: to(first), matches: [prefix("/foo"), prefix("/Foo"), prefix("/slow")], timeoutMs: 300 },
      { backend: to(second), rewriteHostname: "b.example" },
    ],
  ],
  [
    "paths of one listener's proxy, with nothing to forward to",
    () => [
      { respond: 500, matches: [prefix("/foo/x")] },
      { backend: to(first, "10.0.0.1"), matches: [exact("/foo")] },
      { backend: to(first, "no.invalid"), matches: [prefix("/foo")] },
      { backend: { scheme: "http", host: "127.0.0.1", port: 1 }, matches: [prefix("/bar")] },
      { backend: to(second) },
    ],
    { listeners: ["https"] },
  ],
  [
    "an order in which some paths never have a request",
    () => [
      { backend: to(first), matches: [prefix("/foo")] },
      { backend: to(second), matches: [exact("/foo/x"), prefix("/foo/x"), prefix("/")] },
      { backend: to(first), matches: [exact("/bar")] },
    ],
  ],
];

/** Of some, the gateway makes others; some are but almost a prefix. */
const oddPaths = [
  ...["/foo", "/foo/", "/foobar", "/foo/x", "/foo/x/", "/foo/x/y", "/foo/xy", "/Foo", "/bar", "/bar/x"],
  ...["/foo?/x", "/foo/x?y=/bar", "/?/foo", "/f%6fo/x", "/foo%2fx", "/foo%2Fx/y", "/%66oo%2Fx", "/foo%23"],
  ...["/foo/../bar", "/bar/../foo/x", "/foo/./x", "/./foo", "//foo", "/foo//x", "/foo/..", "/foo/x/.."],
  ...["/foo=", "/=/foo", "/foo|x", "/foo/x,/bar", "/foo/%00", "/foo/%ff"],
];

test("it responds as a section does", async () => {
  const pairs = programs.map(([name, rules, more]) => {
    const plain = programOf(rules(), more);
    return { name, plain, section: asSection(plain) };
  });
  await gateway.load(...pairs.flatMap(({ plain, section }) => [plain, section]));
  const map = await askSocket(gateway.files.workerSocket, `show map ${gateway.files.hosts}`);
  const requests: readonly ((host: string) => string)[] = [
    (host) => request(host),
    (host) => request(host.toUpperCase(), "/a/%7e?q=%2f"),
    (host) => request(`${host}.:8080`, "/../a"),
    (host) => request(host, "/", `Via: 1.0 fred, 1.1 telemetryd-${host.slice(0, 36)}\r\n`),
    (host) => request(host, "/", "Via: 1.1 telemetryd-another\r\nX-Forwarded-For: 1.2.3.4\r\n"),
    (host) => request(host, "/slow/900"),
  ];
  const pathRequests = oddPaths.map((path) => (host: string) => request(host, path));
  for (const { name, plain, section } of pairs) {
    expect(map, name).toMatch(new RegExp(`${plain.gateway}\\S* gateway-${plain.gateway}\\|plain-`));
    expect(map, name).toMatch(new RegExp(`${section.gateway}\\S* gateway-${section.gateway}$`, "m"));
    for (const make of [...requests, ...(plain.matches.some(isOfPath) ? pathRequests : [])]) {
      for (const isTls of [false, true]) {
        const both = await Promise.all([plain, section].map((each) => outcome(each, make, isTls)));
        expect(both[0], `${name}: ${make("host")}`).toEqual(both[1]);
      }
    }
  }
}, 180_000);

function isOfPath({ path }: RouteProgram["matches"][number]): boolean {
  return path.value !== "/";
}

const paths = fc
  .array(fc.constantFrom("a", "ab", "b", "%7e"), { maxLength: 3 })
  .map((elements) => `/${elements.join("/")}`);
const someRules = fc.array(
  fc.record({
    matches: fc.array(fc.oneof(paths.map(prefix), paths.map(exact)), { minLength: 1, maxLength: 4 }),
    isFirst: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

test("of random paths in any order, as data and as sections the first that a request has decides", async () => {
  const property = fc.asyncProperty(
    fc.array(someRules, { minLength: 12, maxLength: 12 }),
    fc.uniqueArray(paths, { minLength: 12 }),
    async (all, requests) => {
      const plain = all.map((rules) =>
        programOf(rules.map(({ matches, isFirst }) => ({ matches, backend: to(isFirst ? first : second) }))),
      );
      const sections = plain.map(asSection);
      await gateway.load(...plain, ...sections);
      for (const [index, program] of plain.entries()) {
        for (const path of requests) {
          const match = program.matches.find(({ path: { type, value } }) =>
            type === "Exact" ? value === path : value === "/" || `${path}/`.startsWith(`${value}/`),
          );
          const action = program.rules[match?.rule ?? -1]?.action;
          const port = action?.type === "forward" ? action.backend.port : undefined;
          const expected = port === undefined ? 404 : port === first.port ? "first" : "second";
          const [data, section = data] = await Promise.all(
            [program, sections[index] as RouteProgram].map((each) => servedAt(each, path)),
          );
          expect([data, section]).toEqual([expected, expected]);
        }
      }
      for (const { gateway: uid } of [...plain, ...sections]) await gateway.programs.remove(uid);
    },
  );
  await fc.assert(property, { numRuns: 4, endOnFailure: true });
}, 120_000);

/** `/a` has always the first backend, `/b` the second, and `/c` now this one, now that. */
function pathProgram(turn: number, uid?: string): RouteProgram {
  const program = programOf([
    ...(turn % 4 === 0 ? [{ respond: 500, matches: [exact("/c/d")] }] : []),
    { backend: to(first), matches: [prefix("/a")] },
    { backend: to(second), matches: [prefix("/b"), ...(turn % 3 === 0 ? [prefix(`/b/${turn}`)] : [])] },
    { backend: to(turn % 2 === 0 ? first : second), matches: [prefix("/c")] },
  ]);
  return uid === undefined ? program : { ...program, gateway: uid };
}

test("proxies with paths are made, edited and deleted without a reload, and each path has its backends", async () => {
  const section = asSection(pathProgram(0));
  const steady = Array.from({ length: 3 }, (_, turn) => pathProgram(turn));
  await gateway.load(section, ...steady);
  const loads = await gateway.loads();
  let isDone = false;
  const found = new Map<string, Set<string | number>>();
  const asking = steady.flatMap((program) =>
    ["/a", "/a/x", "/b/3", "/c/x"].map(async (path) => {
      const names = found.get(path) ?? new Set();
      found.set(path, names);
      while (!isDone) names.add(await servedAt(program, path));
    }),
  );
  try {
    for (let turn = 3; turn < 15; turn++) {
      const made = pathProgram(turn);
      await gateway.load(made, ...steady.map(({ gateway: uid }) => pathProgram(turn, uid)));
      const name = turn % 2 === 0 ? "first" : "second";
      const expected = ["first", "second", name, turn % 4 === 0 ? 500 : name, 404];
      for (const program of [made, ...steady])
        expect(
          await Promise.all(["/a", "/b/3", "/c", "/c/d", "/"].map((path) => servedAt(program, path))),
        ).toEqual(expected);
      if (turn % 6 === 5) {
        await gateway.unload(made.gateway);
        expect(await servedAt(made, "/a")).toBe(404);
      }
    }
    expect(await gateway.loads()).toBe(loads);
  } finally {
    isDone = true;
    await Promise.all(asking);
  }
  const sets = Object.fromEntries([...found].map(([path, names]) => [path, [...names].sort()]));
  expect(sets).toEqual({
    ...{ "/a": ["first"], "/a/x": ["first"], "/b/3": ["second"] },
    "/c/x": ["first", "second"],
  });

  // The files have what commands have changed.
  const before = String(await workers());
  await askSocket(gateway.files.masterSocket, "reload");
  await until("it is reloaded", async () => String(await workers()) !== before, 10_000);
  for (const program of steady)
    expect(await Promise.all(["/a", "/b/3", "/c", "/"].map((path) => servedAt(program, path)))).toEqual([
      ...["first", "second", "first", 404],
    ]);
}, 120_000);

test.each<[string, () => RouteProgram]>([
  ["a backend", () => forward()],
  ["several", () => programOf([{ backend: to(second), matches: [prefix("/a")] }, { backend: to(first) }])],
])("too many requests at once get 429, to %s", async (_, make) => {
  const program = make();
  await gateway.load(program);
  const hanging = Array.from({ length: requestsPerProxy }, (_, index) =>
    send(gateway.port, program, { path: `/slow/1500?${program.gateway}${index}` }),
  );
  const arrived = () =>
    first.received.filter(({ url }) => url.startsWith(`/slow/1500?${program.gateway}`)).length;
  await until("they arrived", () => arrived() === requestsPerProxy, 10_000);
  const { status, text, headers } = await send(gateway.port, program);
  expect([status, text, headers["retry-after"]]).toEqual([
    429,
    "too many requests to this proxy at once\n",
    "1",
  ]);
  await Promise.all(hanging);
});
