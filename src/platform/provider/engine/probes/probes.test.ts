import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../../test/support/until.ts";
import { systemClock } from "../../../../base/core/clock.ts";
import { silentLogger } from "../../../../base/log/log.ts";
import { probesOf } from "../../instance/probes.ts";
import type { RuntimeInstance } from "../../runtime/runtime.ts";
import { countResult, noCount } from "./probe-count.ts";
import { Probes } from "./probes.ts";

/** Probes against a real server, which responds with a status that the tests choose. */
let server: Server;
let status: number | undefined;
let asked: string[];
let stop: AbortController;
let restarts: string[];
let changes: number;
let exitStatus: number | undefined;
let restarted: Promise<void>;
let probes: Probes;
let running: Promise<void>;

const port = () => (server.address() as AddressInfo).port;
const instance = (container: object): RuntimeInstance => ({
  ...{ uid: "i", plane: "p", name: "n", workload: "w", hostname: "h", cpus: 1, memoryBytes: 1 },
  networks: [{ networkUid: "n", address: "127.0.0.1", openPorts: [] }],
  containers: [{ name: "main", image: "i", env: {}, mounts: [], probes: probesOf({ ...container }) }],
  pullSecrets: [],
});
const startedMs = Date.now();
const start = (container: object, id = "c", startMs = startedMs): void =>
  probes.set(instance(container), [{ name: "main", id, startedMs: startMs }]);
const quick = { periodSeconds: 0.02, timeoutSeconds: 0.3, failureThreshold: 2 };

beforeEach(async () => {
  [status, asked, restarts, changes, exitStatus] = [200, [], [], 0, 0];
  restarted = Promise.resolve();
  server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers["x-a"] ?? ""}`);
    if (status === undefined) return;
    response.writeHead(status, { location: "http://192.0.2.1/" });
    // A body without an end.
    response.write("x".repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stop = new AbortController();
  probes = new Probes({
    ...{ clock: systemClock, log: silentLogger },
    exec: async () => exitStatus,
    async restart(id) {
      restarts.push(id);
      await restarted;
    },
    onChange: () => {
      changes += 1;
    },
  });
  running = probes.run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("a container is being restarted until its restart has ended, also when it is seen ended meanwhile", async () => {
  let end = (): void => undefined;
  restarted = new Promise((resolve) => {
    end = resolve;
  });
  exitStatus = 1;
  start({ livenessProbe: { exec: { command: ["x"] }, ...quick, failureThreshold: 1 } });
  await until("it is restarted", () => restarts.length > 0);
  expect(probes.isRestarting("c")).toBe(true);
  // It has ended: the provider looks at it.
  probes.set(instance({}), []);
  expect(probes.isRestarting("c")).toBe(true);
  const before = changes;
  end();
  await until("it is over", () => changes > before);
  expect(probes.isRestarting("c")).toBe(false);
});

test("a container is ready when its probe succeeds, and not when it fails in a row", async () => {
  const httpGet = { path: "/ready", port: "web", httpHeaders: [{ name: "X-A", value: "b" }] };
  const ports = [{ name: "web", port: port() }];
  status = 503;
  start({ ports, readinessProbe: { httpGet, ...quick } });
  expect(probes.unready("c")).toEqual({
    why: "its readiness probe has not succeeded yet",
    wasReady: false,
  });
  await until("it failed", () => probes.unready("c")?.why.includes("HTTP status 503") === true);
  // Not followed.
  status = 302;
  await until("it is ready", () => probes.unready("c") === undefined);
  expect(new Set(asked)).toEqual(new Set(["/ready b"]));
  status = undefined;
  await until("it is not any longer", () => probes.unready("c")?.wasReady === true);
  expect(probes.unready("c")?.why).toBe("its readiness probe failed: no response in time");
  expect(changes).toBeGreaterThanOrEqual(2);
  expect(restarts).toEqual([]);
  probes.forget("c");
  expect(probes.unready("c")).toBeUndefined();
});

test.each([
  ["tcpSocket", () => ({ tcpSocket: { port: 1 } }), "the connection was refused"],
  ["a port that has no name", () => ({ tcpSocket: { port: "none" } }), "the connection"],
  ["exec", () => ({ exec: { command: ["false"] } }), "the command exited with status 7"],
  ["a path that cannot be sent", () => ({ httpGet: { path: "/a b", port: port() } }), "cannot be sent"],
])("liveness by %s: the container is restarted, once in the pause", async (_, handler, why) => {
  exitStatus = 7;
  start({ livenessProbe: { ...handler(), ...quick } });
  await until("it is restarted", () => restarts.length > 0);
  expect(probes.restartOf("c")).toContain(why);
  await systemClock.sleep(300, stop.signal);
  expect(restarts).toEqual(["c"]);
});

test("until the startup probe succeeds, no other one runs", async () => {
  status = 500;
  const at = (path: string) => ({ httpGet: { path, port: port() }, ...quick, failureThreshold: 1_000 });
  start({ startupProbe: at("/start"), livenessProbe: at("/live"), readinessProbe: at("/ready") });
  await until("it is asked", () => asked.length > 3);
  expect(new Set(asked)).toEqual(new Set(["/start "]));
  expect(probes.unready("c")?.why).toContain("its startup probe failed");
  status = 200;
  await until("the others are asked", () => asked.includes("/live ") && asked.includes("/ready "));
  await until("it is ready", () => probes.unready("c") === undefined);
  status = 500;
  start({ startupProbe: at("/start"), livenessProbe: at("/live") }, "c", startedMs + 1);
  expect(probes.unready("c")?.why).toContain("has not succeeded yet");
});

test.each([
  ["one of two successes", [undefined], undefined],
  ["two successes", [undefined, undefined], true],
  ["interrupted", [undefined, "x", undefined], undefined],
  ["three failures", ["x", "y", "x"], false],
  ["a single failure after successes", [undefined, undefined, "x"], true],
  ["failures after successes", [undefined, undefined, "x", "x", "x"], false],
])("thresholds: %s", (_, results, expected) => {
  const limits = { successThreshold: 2, failureThreshold: 3 };
  let count = noCount;
  for (const why of results) count = countResult(count, why, limits);
  expect(count.isSuccessful).toBe(expected);
});

test("Kubernetes' defaults", () => {
  expect(probesOf({ readinessProbe: { httpGet: { port: 80, scheme: "HTTPS" }, timeoutSeconds: 0 } })).toEqual(
    {
      readiness: {
        check: { kind: "http", port: 80, path: "/", isTls: true, headers: {} },
        ...{
          initialDelayMs: 0,
          timeoutMs: 1_000,
          periodMs: 10_000,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    },
  );
  expect(probesOf({})).toBeUndefined();
});
