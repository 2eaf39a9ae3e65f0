import type { LookupAddress } from "node:dns";
import { Agent, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTcp } from "node:net";
import { describe, expect, test } from "vitest";
import { sleep } from "../../../src/base/core/clock.ts";
import { askSocket } from "../../../src/platform/gateway/haproxy/command-socket.ts";
import { parseProcesses } from "../../../src/platform/gateway/haproxy/haproxy-process.ts";
import type {
  BackendTarget,
  NameAndValue,
  RouteProgram,
} from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { type GatewayAnswer, send } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

const isLinux = process.platform === "linux";
let first: GatewayBackend;
/** On the same port of another address. */
let gateway: RunningGateway;
/** Addresses of names; a name without is one that cannot be looked up. */
const addresses = new Map<string, string>();

setUpAll(async ({ keep }) => {
  first = await keep(startGatewayBackend({ name: "first" }));
  if (isLinux) await keep(startGatewayBackend({ name: "second", host: "127.0.0.2", port: first.port }));
  gateway = await keep(
    startGateway({
      allow: ["127.0.0.1", "127.0.0.2"],
      lookup: async (name): Promise<LookupAddress[]> => {
        const address = addresses.get(name);
        if (address === undefined) throw new Error(`${name} is unknown`);
        return [{ address, family: 4 }];
      },
    }),
  );
});

const target = (host = "127.0.0.1"): BackendTarget => ({ scheme: "http", host, port: first.port });
/** Needs a section, and so a load. */
const forward = (host?: string): RouteProgram =>
  programOf([{ backend: target(host), requestHeaders: [{ set: [], add: [], remove: ["x-none"] }] }]);
const ask = (program: RouteProgram, path = "/"): Promise<GatewayAnswer> =>
  send(gateway.port, program, { path });

/** Workers that take connections. */
async function workers(): Promise<readonly number[]> {
  return parseProcesses(await askSocket(gateway.files.masterSocket, "show proc"))?.workers ?? [];
}

interface Load {
  readonly sent: number;
  readonly faults: readonly string[];
}

/** Sends requests until stopped: some on connections that are kept, some on new ones. */
async function loadOn(program: RouteProgram, signal: AbortSignal): Promise<Load> {
  const faults: string[] = [];
  let sent = 0;
  const kept = new Agent({ keepAlive: true, maxSockets: 4 });
  const once = (agent: Agent | false, method: string): Promise<void> =>
    new Promise((resolve) => {
      const fail = (error: Error): void => {
        faults.push(`${agent === false ? "new" : "kept"} ${method}: ${error.message}`);
        resolve();
      };
      const headers = { Host: hostOf(program.gateway) };
      const asked = request(
        { host: "127.0.0.1", port: gateway.port, path: "/", method, headers, agent },
        (answer) => {
          if (answer.statusCode !== 200) faults.push(`status ${answer.statusCode}`);
          answer.on("error", fail);
          answer.on("end", resolve);
          answer.resume();
        },
      );
      asked.on("error", fail);
      asked.end(method === "POST" ? "body" : undefined);
    });
  const client = async (agent: Agent | false, method: string): Promise<void> => {
    while (!signal.aborted) {
      sent++;
      await once(agent, method);
      await sleep(4, signal).catch(() => undefined);
    }
  };
  await Promise.all([
    ...["GET", "GET", "POST", "POST"].map((method) => client(kept, method)),
    ...["GET", "POST"].map((method) => client(false, method)),
  ]);
  kept.destroy();
  return { sent, faults };
}

test("50 reloads under load lose no request", async () => {
  const steady = forward();
  await gateway.load(steady);
  const stopping = new AbortController();
  const load = loadOn(steady, stopping.signal);
  // The gateway rests between loads, so most are asked for at HAProxy itself.
  for (let count = 0; count < 50; count++) {
    if (count % 10 === 0) await gateway.load(forward());
    else {
      const before = await workers();
      await askSocket(gateway.files.masterSocket, "reload");
      await until(
        "it is reloaded",
        async () => (await workers()).some((pid) => !before.includes(pid)),
        10_000,
      );
      await sleep(30, stopping.signal);
    }
  }
  stopping.abort();
  const { sent, faults } = await load;
  expect(faults).toEqual([]);
  expect(sent).toBeGreaterThan(1_000);
});

test("a program that is removed before it was ever loaded counts as dropped", async () => {
  const program = forward();
  await gateway.programs.put(program);
  await gateway.unload(program.gateway);
});

/** A connection that was used once, and is kept. @returns a function that sends another request and reads on */
async function keptConnection(program: RouteProgram): Promise<(asked?: RouteProgram) => Promise<string>> {
  const bytes = (of: RouteProgram): string => `GET / HTTP/1.1\r\nHost: ${hostOf(of.gateway)}\r\n\r\n`;
  const socket = connectTcp(gateway.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1");
  socket.on("error", () => undefined);
  socket.on("data", (piece: string) => {
    text += piece;
  });
  socket.write(bytes(program));
  await until("it is answered", () => text.includes('"name":"first"'), 10_000);
  return async (asked = program) => {
    text = "";
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(bytes(asked));
    await closed;
    return text;
  };
}

describe("a connection that is kept over a reload", () => {
  test("gets one more response, by what was loaded before, and ends", async () => {
    const program = forward();
    await gateway.load(program);
    const again = await keptConnection(program);
    await gateway.load({ ...programOf([{ respond: 501 }]), gateway: program.gateway });
    expect((await ask(program)).status).toBe(501);
    const text = await again();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toMatch(/^connection: close\r$/im);
  });

  test("ends without a response for a program that is gone, or is new since", async () => {
    const [steady, gone] = [forward(), forward()];
    await gateway.load(steady, gone);
    const [ofGone, ofSteady] = [await keptConnection(gone), await keptConnection(steady)];
    const next = forward();
    await gateway.load(next);
    await gateway.unload(gone.gateway);
    expect((await ask(gone)).status).toBe(404);
    expect([await ofGone(), await ofSteady(next)]).toEqual(["", ""]);
  });
});

describe("HAProxy is started again", () => {
  test.each(["master", "worker"])("when its %s is killed", async (which) => {
    const program = forward();
    await gateway.load(program);
    const master = await gateway.masterPid();
    process.kill(which === "master" ? master : ((await workers())[0] as number), "SIGKILL");
    await until(
      "another one runs",
      async () => ![master, Number.NaN].includes(await gateway.masterPid()),
      20_000,
    );
    await until("it serves", async () => (await ask(program)).status === 200, 20_000);
    await until("there is no problem", () => gateway.problem() === undefined, 20_000);
    // And what is put after that is loaded.
    const next = forward();
    await gateway.load(next);
    expect((await ask(next)).status).toBe(200);
  });
});

describe("stop", () => {
  const started = (path: string): boolean => first.received.some(({ url }) => url === path);

  test("waits for open requests, and takes no others", async () => {
    const stopped = await startGateway({ shutdownTimeoutMs: 20_000 });
    try {
      const program = forward();
      await stopped.load(program);
      const slow = send(stopped.port, program, { path: "/slow/1000?stop" });
      await until("it arrived", () => started("/slow/1000?stop"), 10_000);
      const stopping = stopped.stop();
      await sleep(200, new AbortController().signal);
      await expect(send(stopped.port, program)).rejects.toThrow();
      expect((await slow).status).toBe(200);
      await stopping;
    } finally {
      await stopped[Symbol.asyncDispose]();
    }
  });

  test("does not wait for connections without a request", async () => {
    const stopped = await startGateway({ shutdownTimeoutMs: 20_000 });
    const agent = new Agent({ keepAlive: true });
    let session: ClientHttp2Session | undefined;
    try {
      const program = forward();
      await stopped.load(program);
      const headers = { Host: hostOf(program.gateway) };
      await new Promise<void>((resolve, reject) => {
        const asked = request({ host: "127.0.0.1", port: stopped.port, headers, agent }, (answer) => {
          answer.on("end", resolve).resume();
        });
        asked.on("error", reject).end();
      });
      session = connect(`https://127.0.0.1:${stopped.tlsPort}`, { rejectUnauthorized: false });
      session.on("error", () => undefined);
      await new Promise((resolve) => session?.once("remoteSettings", resolve));
      const startedMs = performance.now();
      await stopped.stop();
      expect(performance.now() - startedMs).toBeLessThan(10_000);
    } finally {
      agent.destroy();
      session?.destroy();
      await stopped[Symbol.asyncDispose]();
    }
  });

  test("waits no longer than its limit", async () => {
    const stopped = await startGateway({ shutdownTimeoutMs: 300 });
    try {
      const program = forward();
      await stopped.load(program);
      const bytes = `GET /hang?stop HTTP/1.1\r\nHost: ${hostOf(program.gateway)}\r\n\r\n`;
      const hanging = rawHttp(stopped.port, bytes, { limitMs: 20_000 });
      await until("it arrived", () => started("/hang?stop"), 10_000);
      await stopped.stop();
      const { text, end } = await hanging;
      expect([text, end]).toEqual(["", expect.stringMatching(/closed|reset/)]);
    } finally {
      await stopped[Symbol.asyncDispose]();
    }
  });
});

test.skipIf(!isLinux)("names are followed to other addresses", async () => {
  for (const name of ["moves", "fails", "leaves"]) addresses.set(`${name}.example`, "127.0.0.1");
  const [moves, fails, leaves, comes] = ["moves", "fails", "leaves", "comes"].map((name) =>
    forward(`${name}.example`),
  ) as [RouteProgram, RouteProgram, RouteProgram, RouteProgram];
  await gateway.load(moves, fails, leaves, comes);
  const name = async (program: RouteProgram): Promise<string | number> => {
    const answer = await ask(program);
    return answer.status === 200 ? answer.echo.name : answer.status;
  };
  expect([await name(moves), await name(fails), await name(leaves)]).toEqual(["first", "first", "first"]);
  const unresolved = await ask(comes);
  expect([unresolved.status, unresolved.text, unresolved.headers["retry-after"]]).toEqual([
    503,
    "the backend's name has no address\n",
    "5",
  ]);
  const reportOf = ({ gateway: uid }: RouteProgram): unknown => gateway.programs.reports.get(uid);
  expect(reportOf(moves)).toEqual({ resolved: { "moves.example": "127.0.0.1" } });

  // Another address, and none: no reload.
  const before = await workers();
  addresses.set("moves.example", "127.0.0.2");
  addresses.delete("fails.example");
  await until("the new address is used", async () => (await name(moves)) === "second", 20_000);
  expect(await name(fails)).toBe("first");
  expect(await workers()).toEqual(before);
  expect(reportOf(moves)).toEqual({ resolved: { "moves.example": "127.0.0.2" } });
  expect(reportOf(fails)).toEqual({ resolved: { "fails.example": "127.0.0.1" } });
  expect(gateway.woken).toContain(moves.gateway);

  // A forbidden address, and a first one.
  addresses.set("leaves.example", "127.0.0.3");
  addresses.set("comes.example", "127.0.0.1");
  await until("it is blocked", async () => (await name(leaves)) === 502, 20_000);
  const blocked = { blocked: { "leaves.example": "the name leads to an address that is not allowed" } };
  await until("it is reported", () => "blocked" in (reportOf(leaves) as object), 20_000);
  expect(reportOf(leaves)).toEqual(blocked);
  expect((await ask(leaves)).text).toBe("the gateway may not connect to the backend\n");
  await until("it is found", async () => (await name(comes)) === "first", 20_000);
  // What was only told to a worker outlives it.
  expect(await name(moves)).toBe("second");
  expect(await name(fails)).toBe("first");
});

describe("a program that cannot be carried out", () => {
  const headers = (header: NameAndValue): RouteProgram =>
    programOf([{ requestHeaders: [{ set: [header], add: [], remove: [] }], backend: target() }]);
  const cases: readonly (readonly [name: string, make: () => RouteProgram, why: string])[] = [
    ["a status that there is not", () => programOf([{ respond: 999 }]), "HAProxy does not accept it"],
    [
      "a redirect that there is not",
      () => programOf([{ redirect: { statusCode: 306 } }]),
      "HAProxy does not accept it",
    ],
    ["an address that is none", () => forward("127.0.0.1 weight 1"), ""],
    [
      "a line break in a value",
      () => headers({ name: "x", value: "a\nserver evil 127.0.0.1:1" }),
      "control characters",
    ],
    ["NUL in a name", () => headers({ name: "x\0", value: "a" }), "control characters"],
    [
      "too many matches",
      () => programOf([{ matches: Array.from({ length: 1_025 }, () => ({})), backend: target() }]),
      "more than 1024 matches",
    ],
    [
      "too many rules",
      () => programOf(Array.from({ length: 257 }, () => ({ backend: target() }))),
      "more than 256 rules",
    ],
  ];

  test("is left out and says why, and the others are served", async () => {
    // More of them than there are rounds of leaving out.
    const bad = [...cases, ...cases, ...cases].map(([name, make, why]) => ({ name, program: make(), why }));
    const good = Array.from({ length: 3 }, () => forward());
    await gateway.load(...bad.map(({ program }) => program), ...good);
    for (const program of good) expect((await ask(program)).status).toBe(200);
    for (const { name, program, why } of bad) {
      const { status, text } = await ask(program);
      if (why === "") {
        expect([status, name]).toEqual([503, name]);
        continue;
      }
      expect([status, text, name]).toEqual([503, "the proxy cannot be carried out\n", name]);
      expect(gateway.programs.reports.get(program.gateway)?.refused, name).toContain(why);
    }
    expect(gateway.problem()).toBeUndefined();
  });

  test("is served once it is corrected", async () => {
    const bad = programOf([{ respond: 999 }]);
    await gateway.load(bad);
    expect((await ask(bad)).status).toBe(503);
    await gateway.load({ ...forward(), gateway: bad.gateway });
    expect((await ask(bad)).status).toBe(200);
    expect(gateway.programs.reports.get(bad.gateway)).toBeUndefined();
  });

  test("is served as it was before, at the addresses that its names have now, until it is corrected", async () => {
    addresses.set("earlier.example", "127.0.0.1");
    const program = forward("earlier.example");
    await gateway.load(program);
    const bad = { ...programOf([{ respond: 999 }]), gateway: program.gateway };
    await gateway.load(bad);
    const report = () => gateway.programs.reports.get(program.gateway);
    expect(report()).toEqual({ refused: "HAProxy does not accept it; an earlier version is served" });
    expect((await ask(program)).echo.name).toBe("first");
    if (isLinux) {
      addresses.set("earlier.example", "127.0.0.2");
      await until("the address is used", async () => (await ask(program)).echo.name === "second", 20_000);
    }
    // Another version that is refused, and a reload by others, change nothing.
    await gateway.load({ ...programOf([{ respond: 998 }]), gateway: program.gateway }, forward());
    expect((await ask(program)).status).toBe(200);
    const corrected = programOf([{ redirect: { hostname: "corrected.example", statusCode: 302 } }]);
    await gateway.load({ ...corrected, gateway: program.gateway });
    expect((await ask(program)).headers["location"]).toContain("corrected.example");
    expect(report()).toBeUndefined();
  });

  test("does not keep private addresses that are no longer its project's own", async () => {
    const program = programOf([{ backend: { ...target(), host: "127.0.0.3" } }], {
      ownRanges: ["127.0.0.3/32"],
    });
    await gateway.load(program);
    const before = await ask(program);
    await gateway.load({ ...programOf([{ respond: 999 }]), gateway: program.gateway });
    const { status, text } = await ask(program);
    expect([before.text, status, text]).toEqual([
      "the backend does not respond\n",
      502,
      "the gateway may not connect to the backend\n",
    ]);
  });
});
