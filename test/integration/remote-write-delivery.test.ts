import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import type { Credentials } from "../../src/exporter/policy/spec/types.ts";
import { Authentications } from "../../src/exporter/remote-write/authentication/authentication.ts";
import type { TokenRequestDeps } from "../../src/exporter/remote-write/authentication/token-request.ts";
import { RemoteWriteMetrics } from "../../src/exporter/remote-write/send/metrics.ts";
import type { Sender } from "../../src/exporter/remote-write/send/outcome.ts";
import {
  createSender,
  type SenderDeps,
  type SenderTarget,
} from "../../src/exporter/remote-write/send/sender.ts";
import { postLimits } from "../../src/exporter/remote-write/transport/post.ts";
import { createAuthority } from "../support/net/certificates.ts";
import {
  cutBody,
  endlessHeader,
  halfClosed,
  longBody,
  rawResponse,
  stuckBody,
} from "../support/receiver/odd-responses.ts";
import { type Receiver, type ReceiverResponse, startReceiver } from "../support/receiver/receiver.ts";
import { never, smallRequest, testDeps, testTarget, testTransport } from "../support/receiver/requests.ts";
import { until } from "../support/until.ts";

const transport = testTransport({ connectMs: 2_000, connections: 16 });
const metrics = new RemoteWriteMetrics();
let receiver: Receiver;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-delivery-"));
  receiver = await startReceiver();
});
afterEach(() => {
  receiver.respond(() => undefined);
  receiver.clear();
});
afterAll(async () => {
  await transport.close();
  await receiver[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function makeSender(target: Partial<SenderTarget> = {}, deps: Partial<SenderDeps> = {}): Sender {
  const limits = { ...postLimits, headersMs: 300, bodyMs: 300 };
  return createSender(
    testTarget({ endpoint: receiver.url, ...target }),
    testDeps({ transport, metrics, limits, ...deps }),
  );
}

function respondOnceWith(...responses: (ReceiverResponse | undefined)[]): void {
  const rest = [...responses];
  receiver.respond(() => rest.shift());
}

test("a request carries what the specification asks for, and arrives as it was built", async () => {
  const outcome = await makeSender().send(smallRequest(3), never);
  expect(outcome).toEqual({ kind: "delivered", status: 204 });
  expect(receiver.samples().size).toBe(3);
  const { method, path, headers } = receiver.requests[0]!;
  expect({ method, path, ...headers }).toMatchObject({
    method: "POST",
    path: "/api/v1/write",
    "content-encoding": "snappy",
    "content-type": "application/x-protobuf",
    "x-prometheus-remote-write-version": "0.1.0",
    "user-agent": "telemetryd/0.0.0",
  });
  expect(headers).not.toHaveProperty("authorization");
});

test("requests one after another use one connection", async () => {
  const before = receiver.connections();
  const sender = makeSender();
  for (let n = 0; n < 5; n++) await sender.send(smallRequest(), never);
  expect(receiver.connections() - before).toBeLessThanOrEqual(1);
});

describe("every way in which a receiver may respond", () => {
  const lost = { kind: "exhausted", responseLost: true };
  const notLost = { kind: "exhausted", responseLost: false };
  test.each<[string, ReceiverResponse, Record<string, unknown> & { kind: string }]>([
    ["200 with a body", { status: 200, body: "thanks" }, { kind: "delivered", status: 200 }],
    ["204 after a while", { delayMs: 100 }, { kind: "delivered", status: 204 }],
    ["500", { status: 500 }, { ...notLost, reason: "server_error", status: 500 }],
    ["502", { status: 502 }, { ...lost, reason: "server_error", status: 502 }],
    ["429", { status: 429, body: "slow down" }, { ...notLost, message: '429 "slow down"' }],
    ["400", { status: 400, body: "out of order" }, { kind: "rejected", message: '400 "out of order"' }],
    [
      "400 with a compressed body",
      { status: 400, headers: { "content-encoding": "gzip" }, body: gzipSync("out of order") },
      { kind: "rejected", message: '400 "out of order"' },
    ],
    ["413", { status: 413 }, { kind: "rejected", status: 413 }],
    ["401", { status: 401 }, { kind: "suspended", status: 401 }],
    ["404", { status: 404 }, { kind: "suspended", status: 404 }],
    ["a redirect", { status: 307, headers: { location: "/elsewhere" } }, { kind: "suspended", status: 307 }],
    ["a reset", { fault: "reset" }, { ...lost, reason: "connection_lost" }],
    ["a connection closed without a response", halfClosed, { ...lost, reason: "connection_lost" }],
    ["no response", { fault: "hang" }, { ...lost, reason: "answer_timeout" }],
    ["something else than HTTP", rawResponse("SSH-2.0-OpenSSH_9\r\n"), { ...lost, reason: "invalid_answer" }],
    ["a header that never ends", endlessHeader, { ...lost, reason: "invalid_answer" }],
    ["a body of 100 MB", longBody(400, 1e8), { kind: "rejected", status: 400 }],
    ["a body that never ends", longBody(200, Infinity), { kind: "delivered", status: 200 }],
    ["a body that gets stuck", stuckBody(503, "wait"), { ...notLost, message: '503 "wait"' }],
    ["a success whose body gets stuck", stuckBody(200, "wait"), { kind: "delivered", status: 200 }],
    ["a success whose body is cut off", cutBody(200, "half"), { kind: "delivered", status: 200 }],
    ["a refusal whose body is cut off", cutBody(400, "half"), { kind: "rejected", message: '400 "half"' }],
  ])("%s", async (_, reply, expected) => {
    receiver.respond(() => reply);
    const outcome = await makeSender().send(smallRequest(), never);
    expect(outcome).toMatchObject(expected);
    expect(receiver.requests).toHaveLength(outcome.kind === "exhausted" ? 2 : 1);
  });

  test("a receiver that stores and never responds with HTTP gets five requests, not an endless number", async () => {
    receiver.respond(() => ({ ...rawResponse("SSH-2.0-OpenSSH_9\r\n"), store: true }));
    const sender = makeSender();
    const outcomes = [await sender.send(smallRequest(), never), await sender.send(smallRequest(), never)];
    expect(outcomes).toMatchObject([lost, lost]);
    expect(await sender.send(smallRequest(), never)).toMatchObject({
      ...{ kind: "suspended", responseLost: true },
      message: expect.stringContaining("it may have stored each of their requests"),
    });
    expect(receiver.requests).toHaveLength(5);
  });

  test("the message of a long response is cut, and its connection is dropped", async () => {
    receiver.respond(() => longBody(400, Infinity));
    const outcome = await makeSender().send(smallRequest(), never);
    expect(outcome.kind === "rejected" && outcome.message.length).toBeLessThan(1_100);
    await until("the connection is gone", () => receiver.openConnections() === 0);
  });

  test("a redirect is not followed", async () => {
    receiver.respond((request) =>
      request.path === "/trap" ? undefined : { status: 302, headers: { location: "/trap" } },
    );
    await makeSender().send(smallRequest(), never);
    expect(receiver.requests.map((request) => request.path)).toEqual(["/api/v1/write"]);
  });
});

describe("receivers that cannot be reached", () => {
  const cases: [string, string, string][] = [
    ["nobody listens", "http://127.0.0.1:1/", "connect"],
    ["a name that does not exist", "http://receiver.invalid/", "dns"],
  ];
  test.each(cases)("%s", async (_, endpoint, reason) => {
    const outcome = await makeSender({ endpoint }).send(smallRequest(), never);
    expect(outcome).toMatchObject({ kind: "exhausted", reason, responseLost: false });
  });

  test("https where http is spoken", async () => {
    const endpoint = receiver.url.replace("http:", "https:");
    const outcome = await makeSender({ endpoint }).send(smallRequest(), never);
    expect(outcome).toMatchObject({ kind: "exhausted", reason: "tls", responseLost: false });
  });

  test("a certificate that nobody vouches for, and one that the system's authorities vouch for", async () => {
    const authority = createAuthority();
    await using secure = await startReceiver({ tls: authority.issue() });
    const strange = await makeSender({ endpoint: secure.url }).send(smallRequest(), never);
    expect(strange).toMatchObject({ kind: "exhausted", reason: "tls", responseLost: false });
    expect(secure.requests).toEqual([]);

    const caFile = join(folder, "ca.pem");
    await writeFile(caFile, authority.cert);
    const trusting = testTransport({ tls: { caFile } });
    const sender = makeSender({ endpoint: secure.url }, { transport: trusting });
    expect(await sender.send(smallRequest(), never)).toEqual({ kind: "delivered", status: 204 });
    await trusting.close();
  });

  test("a server that accepts the connection but never speaks TLS", async () => {
    const mute = createServer((socket) => void socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    const impatient = testTransport({ connectMs: 300, connections: 1 });
    const retry = { maxAttempts: 1, backoffMs: 1 };
    const sender = makeSender({ endpoint: `https://127.0.0.1:${port}/`, retry }, { transport: impatient });
    expect(await sender.send(smallRequest(), never)).toMatchObject({ kind: "exhausted", reason: "connect" });
    await impatient.close();
    await new Promise((resolve) => mute.close(resolve));
  });
});

describe("retries", () => {
  test("the same bytes again, backoff apart, until it is delivered", async () => {
    respondOnceWith({ status: 503 }, { fault: "reset" }, undefined);
    const outcome = await makeSender({ retry: { maxAttempts: 3, backoffMs: 150 } }).send(
      smallRequest(),
      never,
    );
    expect(outcome).toEqual({ kind: "delivered", status: 204 });
    const [first, second, third] = receiver.requests;
    expect(second!.body.equals(first!.body) && third!.body.equals(first!.body)).toBe(true);
    expect(second!.receivedAtMs - first!.receivedAtMs).toBeGreaterThanOrEqual(149);
    expect(third!.receivedAtMs - second!.receivedAtMs).toBeGreaterThanOrEqual(149);
  });

  test("a longer Retry-After wins", async () => {
    respondOnceWith({ status: 429, headers: { "retry-after": "1" } }, undefined);
    await makeSender().send(smallRequest(), never);
    const [first, second] = receiver.requests;
    expect(second!.receivedAtMs - first!.receivedAtMs).toBeGreaterThanOrEqual(999);
  });

  test("a very long one is reported at once", async () => {
    respondOnceWith({ status: 503, headers: { "retry-after": "120" } });
    const outcome = await makeSender().send(smallRequest(), never);
    expect(outcome).toMatchObject({ kind: "exhausted", retryAfterMs: 120_000 });
    expect(receiver.requests).toHaveLength(1);
  });

  test("a refusal after a lost response says so", async () => {
    respondOnceWith({ fault: "reset", store: true }, { status: 400, body: "out of order" });
    const outcome = await makeSender().send(smallRequest(), never);
    expect(outcome).toMatchObject({ kind: "rejected", status: 400, responseLost: true });
  });
});

const tokenDeps: TokenRequestDeps = {
  ...{ scope: "operator", tenant: "project", userAgent: "telemetryd/test", clock: systemClock },
  transportTo: () => ({ problem: "not needed" }),
};

test("a rotated Secret counts from the next request on", async () => {
  let auth: Credentials = { kind: "basicAuth", username: "u", password: "old:ä" };
  const authentications = new Authentications();
  respondOnceWith({ status: 500 }, undefined);
  const sending = makeSender({
    authentication: () => authentications.of(auth, tokenDeps),
    retry: { maxAttempts: 2, backoffMs: 200 },
  }).send(smallRequest(), never);
  await until("the first attempt", () => receiver.requests.length === 1);
  auth = { kind: "basicAuth", username: "u", password: "new" };
  await sending;
  const sent = receiver.requests.map(({ headers }) => headers.authorization);
  expect(sent).toEqual([
    `Basic ${Buffer.from("u:old:ä").toString("base64")}`,
    `Basic ${Buffer.from("u:new").toString("base64")}`,
  ]);
});

describe("an abort", () => {
  test("ends a request that waits for its response, and its connection", async () => {
    receiver.respond(() => ({ fault: "hang" }));
    const controller = new AbortController();
    const sender = makeSender({}, { limits: postLimits });
    const sending = sender.send(smallRequest(), controller.signal);
    await until("the request is there", () => receiver.requests.length === 1);
    controller.abort();
    expect(await sending).toEqual({ kind: "aborted", responseLost: true });
    await until("the connection is gone", () => receiver.openConnections() === 0);
  });

  test("ends one that waits for a connection, and nothing is sent later on", async () => {
    const single = testTransport({ connectMs: 2_000, connections: 1 });
    const responses: ReceiverResponse[] = [{ delayMs: 200 }];
    receiver.respond(() => responses.shift());
    const sender = makeSender({}, { transport: single });
    const first = sender.send(smallRequest(), never);
    await until("the connection is in use", () => receiver.requests.length === 1);
    const controller = new AbortController();
    const second = sender.send(smallRequest(), controller.signal);
    controller.abort();
    expect(await second).toEqual({ kind: "aborted", responseLost: false });
    expect(await first).toMatchObject({ kind: "delivered" });
    expect(await sender.send(smallRequest(), never)).toMatchObject({ kind: "delivered" });
    expect(receiver.requests).toHaveLength(2);
    await single.close();
  });
});

test("a response that comes before the request was read, from a server that goes on reading", async () => {
  const early = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 4\r\n\r\nmuch");
      socket.resume();
    });
  });
  await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
  const { port } = early.address() as { port: number };
  const large = { ...smallRequest(), payload: Buffer.alloc(20_000_000, 1) };
  const outcome = await makeSender({ endpoint: `http://127.0.0.1:${port}/` }).send(large, never);
  expect(outcome).toMatchObject({ kind: "rejected", status: 413, message: '413 "much"' });
  await new Promise((resolve) => early.close(resolve));
});

test("a pool whose connections are all taken is no endless wait, and nothing is sent later on", async () => {
  const single = testTransport({ connections: 1 });
  const responses: ReceiverResponse[] = [{ delayMs: 2_000 }];
  receiver.respond(() => responses.shift());
  const sender = makeSender({}, { transport: single, limits: postLimits });
  const impatient = makeSender(
    { retry: { maxAttempts: 1, backoffMs: 10 } },
    { transport: single, limits: { ...postLimits, startMs: 100 } },
  );
  const first = sender.send(smallRequest(), never);
  await until("the connection is in use", () => receiver.requests.length === 1);
  const second = await impatient.send(smallRequest(), never);
  expect(second).toMatchObject({ kind: "exhausted", reason: "connect", responseLost: false });
  expect(await first).toMatchObject({ kind: "delivered" });
  expect(await sender.send(smallRequest(), never)).toMatchObject({ kind: "delivered" });
  expect(receiver.requests).toHaveLength(2);
  await single.close();
});

test("what was done is counted", async () => {
  const own = new RemoteWriteMetrics();
  respondOnceWith({ status: 503 }, undefined);
  const request = smallRequest();
  await makeSender({}, { metrics: own }).send(request, never);
  const text = await own.registry.metrics();
  expect(text).toContain('telemetryd_remote_write_requests_total{outcome="delivered"} 1');
  expect(text).toContain('telemetryd_remote_write_requests_total{outcome="retry"} 1');
  expect(text).toContain('telemetryd_remote_write_retries_total{reason="server_error"} 1');
  expect(text).toContain(`telemetryd_remote_write_sent_bytes_total ${2 * request.payload.length}`);
  expect(text).toContain("telemetryd_remote_write_request_duration_seconds_count 2");
});
