import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MemoryPrograms } from "../../../test/support/gateway/memory-programs.ts";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import { until } from "../../../test/support/until.ts";
import { createLogger } from "../../base/log/log.ts";
import { BackendResolver } from "./backend-addresses.ts";
import { createGateway } from "./gateway.ts";
import { gatewayFiles } from "./haproxy/gateway-files.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";

/** A HAProxy that accepts everything; a reload waits for `held`, a check for `judge`. */
function fakeHaproxy() {
  const fake = {
    ...{ held: Promise.resolve(), checks: 0, reloads: 0, isSilent: false },
    ...{ ask: async () => "", judge: async (): Promise<void> => undefined },
  };
  const haproxy: Haproxy = {
    async check() {
      fake.checks++;
      await fake.judge();
      return { kind: "accepted" };
    },
    start: async () => undefined,
    async reload() {
      fake.reloads++;
      fake.isSilent = false;
      await fake.held;
    },
    ask: () => fake.ask(),
    askMaster: async () => "",
    askAll: async () => new Map(),
    askLeaving: async () => undefined,
    isSilent: () => fake.isSilent,
    ended: () => undefined,
    stop: async () => undefined,
  };
  return { fake, haproxy };
}

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), "telemetryd-gateway-"));
  const clock = new TestClock(0);
  const store = new MemoryPrograms();
  const { fake, haproxy } = fakeHaproxy();
  const found = { address: "1.2.3.4" };
  const gateway = createGateway({
    settings: {
      ...{ listen: "127.0.0.1:1", tlsListen: "127.0.0.1:2", trustedProxies: [], accessLog: false },
      limits: { connections: 1, connectionsPerAddress: 1, requestsPerProxy: 1 },
    },
    ...{ domain: "proxy.localhost", files: gatewayFiles(directory, directory), store, haproxy, clock },
    resolver: new BackendResolver({
      egress: { deny: [], allow: [] },
      lookup: async () => [{ ...found, family: 4 }],
      own: [],
    }),
    ...{ runner: "test", refreshTls: async () => false, onChange: async () => undefined },
    ...{ shutdownTimeoutMs: 1, log: createLogger("error", { write: () => true }, false) },
  });
  const stop = new AbortController();
  const running = gateway.service.run(stop.signal);
  /** Waits while the clock goes on. */
  const untilLater = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(what, () => {
      clock.advance(500);
      return condition();
    });
  return {
    ...{ clock, untilLater, store, fake, found, files: gatewayFiles(directory, directory) },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A program that is configuration: a redirect is no data. */
const redirecting = [{ redirect: { path: { type: "full", path: "/" }, statusCode: 302 } }] as const;

test("a gateway reports while a load takes long", async () => {
  await using gateway = await setUp();
  const { store, fake, untilLater } = gateway;
  await until("it runs", async () => (await store.state("", 0)).isLoaded);
  let release: () => void = () => undefined;
  fake.held = new Promise((resolve) => (release = resolve));
  const version = await store.put(programOf(redirecting));
  await untilLater("it loads", () => fake.reloads > 0);
  await store.leave("test");
  await untilLater("it is heard from", async () => (await store.state("", 0)).running === 1);
  expect((await store.state("", version)).isLoaded).toBe(false);
  release();
  await untilLater("it has loaded", async () => (await store.state("", version)).isLoaded);
});

test("a program that is edited before each check of it ends is loaded all the same", async () => {
  await using gateway = await setUp();
  const { store, clock, fake, untilLater } = gateway;
  await until("it runs", async () => (await store.state("", 0)).isLoaded);
  const program = programOf(redirecting);
  let edits = 0;
  const edit = async (): Promise<void> => {
    const path = `/${++edits}`;
    const rules = [{ redirect: { path: { type: "full", path }, statusCode: 302 } }] as const;
    await store.put({ ...programOf(rules), gateway: program.gateway });
  };
  fake.judge = async () => {
    await edit();
    // Meanwhile it is read.
    for (let turn = 0; turn < 50; turn++) {
      clock.advance(500);
      await new Promise(setImmediate);
    }
  };
  await edit();
  await untilLater("it is loaded", () => fake.reloads > 0);
});

test("an address that HAProxy does not take is loaded", async () => {
  await using gateway = await setUp();
  const { store, clock, fake, found, untilLater } = gateway;
  const version = await store.put(programOf([{ backend: { scheme: "http", host: "b.example", port: 80 } }]));
  await untilLater("it is loaded", async () => (await store.state("", version)).isLoaded);
  fake.ask = () => Promise.reject(new Error("HAProxy does not respond on its socket"));
  const before = fake.reloads;
  found.address = "5.6.7.8";
  clock.advance(60_000);
  await until("it is loaded again", () => fake.reloads > before);
});

test("a master that responds to nothing is reloaded, once", async () => {
  await using gateway = await setUp();
  const { store, clock, fake, untilLater } = gateway;
  await until("it runs", async () => (await store.state("", 0)).isLoaded);
  fake.isSilent = true;
  await untilLater("it is reloaded", () => fake.reloads === 1);
  for (let i = 0; i < 20; i++) {
    clock.advance(500);
    await new Promise(setImmediate);
  }
  expect(fake.reloads).toBe(1);
});

test("a load leaves the script as it is: a check may read it meanwhile", async () => {
  await using gateway = await setUp();
  const { store, fake, files, untilLater } = gateway;
  await until("it runs", async () => (await store.state("", 0)).isLoaded);
  const { ino, mtimeMs } = await stat(files.script);
  const before = fake.checks;
  await store.put(programOf(redirecting));
  await untilLater("it is checked and loaded", () => fake.checks > before && fake.reloads > 0);
  expect(await stat(files.script)).toMatchObject({ ino, mtimeMs });
});
