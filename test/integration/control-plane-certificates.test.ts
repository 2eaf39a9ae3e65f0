import "../support/leak-check.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { PolicyStore } from "../../src/exporter/policy/store.ts";
import {
  type ControlPlane,
  createControlPlane,
  createKubeconfigPlane,
} from "../../src/platform/client/control-plane.ts";
import { type Authority, createAuthority } from "../support/net/certificates.ts";
import { until } from "../support/until.ts";

/** A control plane whose certificates are renewed while the daemon follows it. */

let folder: string;
let server: Server;
let url: string;
let authority: Authority;
let requests: number;
let tokens: string[];
const common = { groupDomain: "platformapis", statuses: () => [], clock: systemClock, log: silentLogger };
const running: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-certificates-"));
  authority = createAuthority();
  [requests, tokens] = [0, []];
  server = createServer(
    { ...authority.issue(), ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    response,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await rm(folder, { recursive: true, force: true });
});

/** Serves empty collections, and a token for every client. */
function response(request: IncomingMessage, response: ServerResponse): void {
  requests++;
  tokens.push(request.headers.authorization ?? "");
  response.setHeader("content-type", "application/json");
  if (request.url?.endsWith("/token/exchange")) response.end('{"access_token":"t","token_type":"Bearer"}');
  else if (request.url?.includes("watch=1")) response.flushHeaders();
  else response.end('{"items":[],"metadata":{"resourceVersion":"1"}}');
}

function run(controlPlane: ControlPlane): void {
  const stop = new AbortController();
  const ended = controlPlane.service.run(stop.signal);
  running.push(async () => {
    stop.abort();
    await ended;
  });
}

/**
 * Replaces the server's certificate by one of another authority and closes its connections, as a restart
 * does.
 */
function renewServer(): Authority {
  const renewed = createAuthority();
  server.setSecureContext({ ...renewed.issue(), ca: renewed.cert });
  server.closeAllConnections();
  return renewed;
}

test("controlPlane.caFile", async () => {
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.cert);
  const accessTokenFile = join(folder, "token");
  await writeFile(accessTokenFile, "pat");
  const store = new PolicyStore();
  run(createControlPlane({ ...common, apiUrl: url, projects: ["web"], accessTokenFile, caFile, store }));
  await until("the plane is listed", () => store.hasPlane("web"));
  const renewed = renewServer();
  const before = requests;
  await writeFile(caFile, renewed.cert);
  await until("the server is trusted again", () => requests >= before + 2);
});

function kubeconfig(user: object, cluster: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: url, ...cluster } }],
    users: [{ name: "u", user }],
  });
}

test("the files that a kubeconfig names", async () => {
  const store = new PolicyStore();
  const file = join(folder, "kubeconfig");
  const names = {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "client.pem"),
    key: join(folder, "client.key"),
  };
  const write = async (by: Authority) => {
    const client = by.issue();
    await writeFile(names.ca, by.cert);
    await writeFile(names.cert, client.cert);
    await writeFile(names.key, client.key);
  };
  await write(authority);
  const user = { "client-certificate": "client.pem", "client-key": "client.key" };
  await writeFile(file, kubeconfig(user, { "certificate-authority": "ca.pem" }));
  const accepted: boolean[] = [];
  server.on("secureConnection", (socket) => accepted.push(socket.authorized));
  run(createKubeconfigPlane({ ...common, kubeconfig: file, project: "web", store }));
  await until("the plane is listed", () => store.hasPlane("web"));
  const renewed = renewServer();
  const before = requests;
  accepted.length = 0;
  await write(renewed);
  await until("the server is trusted again", () => requests >= before + 2);
  expect(accepted.at(-1)).toBe(true);
});

test("what a kubeconfig holds itself, its token too", async () => {
  const store = new PolicyStore();
  const file = join(folder, "kubeconfig");
  const data = (by: Authority) => ({ "certificate-authority-data": Buffer.from(by.cert).toString("base64") });
  await writeFile(file, kubeconfig({ token: "first" }, data(authority)));
  run(createKubeconfigPlane({ ...common, kubeconfig: file, project: "web", store }));
  await until("the plane is listed", () => store.hasPlane("web"));
  const renewed = renewServer();
  const before = requests;
  // An incomplete file, as from a non-atomic write, has no effect.
  await writeFile(file, kubeconfig({ token: "second" }, data(renewed)).slice(0, 50));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await writeFile(file, kubeconfig({ token: "second" }, data(renewed)));
  await until("the server is trusted again", () => requests >= before + 2);
  expect(tokens.at(-1)).toMatch(/^Bearer (first|second)$/);
});

test("a file that is not there keeps the daemon from starting, with its name", async () => {
  const kubeconfigFile = join(folder, "none");
  const options = { ...common, kubeconfig: kubeconfigFile, project: "web", store: new PolicyStore() };
  expect(() => createKubeconfigPlane(options)).toThrow(/controlPlane.kubeconfig: .*none cannot be read/);
  await writeFile(kubeconfigFile, kubeconfig({}, { "certificate-authority": "absent.pem" }));
  expect(() => createKubeconfigPlane(options)).toThrow(/absent.pem/);
});
