import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { rawHttp, statusesIn } from "../../../test/support/net/raw-http.ts";
import {
  boardEvent,
  deliver,
  signatureFor,
  type WebhookDelivery,
  webhookPath,
} from "../../../test/support/roadmap/webhook-request.ts";
import { until } from "../../../test/support/until.ts";
import { type Clock, systemClock } from "../../base/core/clock.ts";
import { Releasers } from "../../base/core/service.ts";
import { createLogger } from "../../base/log/log.ts";
import { listenerOf } from "../../base/net/listen-address.ts";
import { defaultPace } from "../page/page.ts";
import { createApp } from "./app.ts";
import { createHttpServer } from "./http-server.ts";
import { createApiMetrics } from "./metrics.ts";
import { createRateCounter } from "./rate-counter.ts";
import { bodyBounds, createWebhook } from "./webhook.ts";

const secret = "0123456789abcdef-the-secret";
const forever = new AbortController().signal;
const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

async function setUp(options: { secret?: string; limit?: number; announceFails?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "webhook-"));
  releasers.push(() => rm(folder, { recursive: true }));
  const secretFile = join(folder, "secret");
  await writeFile(secretFile, options.secret ?? `${secret}\n`);
  const lines: string[] = [];
  const log = createLogger("debug", { write: (line) => lines.push(line) }, false);
  const announced: (readonly string[])[] = [];
  const metrics = createApiMetrics();
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const rateLimit = { limit: options.limit ?? 1_000, windowMs: 3_600_000 };
  const roadmap = { status: () => undefined, backlog: () => undefined, noticeRequest: () => undefined };
  const webhook = createWebhook({
    secretFile,
    board: { organization: "acme", number: 22 },
    announce: async (ids) => {
      if (options.announceFails === true) throw new Error("Redis is away");
      const isKnown = announced.some((known) => known.some((id) => ids.includes(id)));
      announced.push(ids);
      return isKnown ? "repeated" : "noted";
    },
    roadmap,
    rateLimit,
    metrics,
    clock,
    log,
  });
  const rate = createRateCounter(rateLimit, () => Date.now());
  const app = createApp({ roadmap, rate, trustProxy: false, pace: defaultPace, webhook, log });
  const bounds = { connections: 99, connectionsPerAddress: 99 };
  const server = createHttpServer({ app, bounds, metrics, log });
  const url = await listenerOf(server).listen({ host: "127.0.0.1", port: 0 });
  releasers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url,
    webhook,
    announced,
    lines,
    secretFile,
    port: Number(new URL(url).port),
    send: (delivery: Partial<WebhookDelivery> = {}) => deliver(url, { secret, ...delivery }),
    /** Results counted so far. */
    results: async () =>
      Object.fromEntries(
        [...(await metrics.registry.metrics()).matchAll(/webhooks_total\{result="(.+)"\} (\d+)/g)].map(
          ([, result, count]) => [result, Number(count)],
        ),
      ),
    /** Lets the secret's file be looked at again. */
    later: () => {
      aheadMs += 10_000;
    },
  };
}

const signedText = (body: string) => ({
  body,
  headers: { "x-hub-signature-256": signatureFor(body, secret) },
});

test.each<[string, Partial<WebhookDelivery>, number, string]>([
  ["a change", {}, 202, "accepted"],
  ["a ping", { event: "ping", payload: { zen: "…" } }, 200, "ping"],
  ["an event of another kind", { event: "issue_comment" }, 202, "ignored"],
  [
    "an event of another organization",
    { payload: { ...boardEvent, organization: { login: "other" } } },
    202,
    "ignored",
  ],
  ["no signature", { headers: { "x-hub-signature-256": undefined } }, 401, "unsigned"],
  ["a malformed one", { headers: { "x-hub-signature-256": "sha256=" } }, 401, "unsigned"],
  ["one of SHA-1", { headers: { "x-hub-signature-256": `sha1=${"0".repeat(40)}` } }, 401, "unsigned"],
  ["one by another secret", { secret: "another-secret-of-16-bytes" }, 401, "unsigned"],
  ["one of another body", { body: JSON.stringify(boardEvent) }, 401, "unsigned"],
  ["one of an unsigned body that is no JSON", { body: "{" }, 401, "unsigned"],
  ["no delivery", { headers: { "x-github-delivery": undefined } }, 400, "malformed"],
  ["no event", { headers: { "x-github-event": undefined } }, 400, "malformed"],
  ["a form", { headers: { "content-type": "application/x-www-form-urlencoded" } }, 415, "malformed"],
  ["no JSON", signedText("{"), 400, "malformed"],
  ["no object", signedText("[]"), 400, "malformed"],
  ["nothing", signedText(""), 400, "malformed"],
  ["a body beyond the bound", { body: "x".repeat(bodyBounds.maxBytes + 1) }, 413, "too-large"],
])("%s: %i %s", async (_name, delivery, status, result) => {
  const { url, send, announced, results, lines } = await setUp();
  const response = await send(delivery);
  const body = (await response.json()) as Record<string, unknown>;
  expect(response.status).toBe(status);
  expect(await results()).toEqual({ [result]: 1 });
  expect(announced.length).toBe(result === "accepted" ? 1 : 0);
  expect(response.headers.get("api-version")).toBe("v1");
  if (status < 300) expect(body).toEqual({ result });
  else {
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(body).toMatchObject({ type: "about:blank", status });
  }
  expect(lines.join("")).not.toContain(secret);
  // The server still serves.
  expect((await fetch(`${url}/api/v1/openapi.json`)).status).toBe(200);
});

test("a replay starts nothing, whether its delivery or its body is known", async () => {
  const { send, results } = await setUp();
  const delivery = "72d3162e-cc78-11e3-81ab-4c9367dc0958";
  await send({ headers: { "x-github-delivery": delivery }, payload: boardEvent });
  await send({ headers: { "x-github-delivery": delivery.toUpperCase() } });
  await send({ payload: boardEvent });
  expect(await results()).toEqual({ accepted: 1, repeated: 2 });
});

test("a change that cannot be noted is 503: GitHub lists the delivery as failed", async () => {
  const { send, results } = await setUp({ announceFails: true });
  expect((await send()).status).toBe(503);
  expect(await results()).toEqual({ unavailable: 1 });
});

test("refused deliveries are limited per address, and signed ones are not, also beyond the limit", async () => {
  const { send, results, announced } = await setUp({ limit: 3 });
  for (let round = 0; round < 10; round++) expect((await send()).status).toBe(202);
  for (let round = 0; round < 3; round++) expect((await send({ body: "x" })).status).toBe(401);
  const refusals: Partial<WebhookDelivery>[] = [
    { headers: { "x-hub-signature-256": undefined } },
    { secret: "another-secret-of-16-bytes" },
    { body: "x".repeat(bodyBounds.maxBytes + 1) },
  ];
  for (const delivery of refusals) {
    const refused = await send(delivery);
    expect([refused.status, refused.headers.get("ratelimit-remaining")]).toEqual([429, "0"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await send({ payload: { ...boardEvent, action: "deleted" } })).status).toBe(202);
  expect(announced.length).toBe(11);
  expect(await results()).toEqual({ accepted: 11, unsigned: 3, "rate-limited": 3 });
});

describe("on a raw connection", () => {
  const head = (headers: readonly string[]): string =>
    [`POST ${webhookPath} HTTP/1.1`, "Host: a", ...headers, "", ""].join("\r\n");
  const anySignature = `X-Hub-Signature-256: sha256=${"0".repeat(64)}`;
  const limitMs = 20_000;
  const enough = (text: string): boolean => statusesIn(text).some((status) => status > 100);

  test("a body that never ends is 408", async () => {
    const { port, results } = await setUp();
    const bytes = `${head([anySignature, "Content-Length: 9"])}1`;
    const { text, end } = await rawHttp(port, bytes, { limitMs });
    expect([statusesIn(text), end]).toEqual([[408], "closed"]);
    expect(await results()).toEqual({ late: 1 });
  });

  test("an announced body beyond the bound is refused before it is sent", async () => {
    const { port } = await setUp();
    const bytes = head([anySignature, "Expect: 100-continue", `Content-Length: ${bodyBounds.maxBytes + 1}`]);
    expect(statusesIn((await rawHttp(port, bytes, { limitMs })).text)).toEqual([413]);
  });

  test("chunks beyond the bound are refused", async () => {
    const { port } = await setUp();
    const chunk = Buffer.alloc(2 ** 16);
    const pieces = [head([anySignature, "Transfer-Encoding: chunked"])];
    const chunks = Array.from({ length: 17 }, () => [
      `${chunk.length.toString(16)}\r\n`,
      chunk,
      "\r\n",
    ]).flat();
    const { text } = await rawHttp(port, [...pieces, ...chunks], { limitMs, pauseMs: 1, enough });
    expect(statusesIn(text)).toEqual([413]);
  });

  test("one without a signature is refused before its body is read", async () => {
    const { port } = await setUp();
    const bytes = head(["Expect: 100-continue", "Content-Length: 9"]);
    expect(statusesIn((await rawHttp(port, bytes, { limitMs })).text)).toEqual([401]);
  });

  test("beyond the limit, a body without a signature is not asked for, and of the others four at once", async () => {
    const { port, send } = await setUp({ limit: 1 });
    expect((await send({ body: "x" })).status).toBe(401);
    const waiting = ["Expect: 100-continue", "Content-Length: 9"];
    expect(statusesIn((await rawHttp(port, head(waiting), { limitMs })).text)).toEqual([429]);
    const asked = Array.from({ length: 5 }, () =>
      rawHttp(port, head([anySignature, ...waiting]), { limitMs }),
    );
    const statuses = (await Promise.all(asked)).map(({ text }) => statusesIn(text));
    // Four are asked and send nothing; the fifth is refused at once.
    expect(statuses.filter(([first]) => first === 100)).toHaveLength(4);
    expect(statuses.filter(([first]) => first === 429)).toHaveLength(1);
    expect((await send()).status).toBe(202);
  });

  test("a client that waits for 100 Continue is asked for its body", async () => {
    const { port } = await setUp();
    const body = JSON.stringify(boardEvent);
    const bytes = head([
      ...["Content-Type: application/json", "X-GitHub-Event: projects_v2", "X-GitHub-Delivery: 1-2"],
      ...[`X-Hub-Signature-256: ${signatureFor(body, secret)}`, "Expect: 100-continue"],
      `Content-Length: ${body.length}`,
    ]);
    const { text } = await rawHttp(port, [bytes, body], { limitMs, enough });
    expect(statusesIn(text)).toEqual([100, 202]);
  });

  test("a client that goes away is counted, and nothing else", async () => {
    const { port, results } = await setUp();
    await rawHttp(port, `${head([anySignature, "Content-Length: 9"])}1`, { limitMs: 50 });
    await until("it is counted", async () => (await results())["aborted"] === 1);
    expect(await results()).toEqual({ aborted: 1 });
  });
});

describe("the secret", () => {
  test("that changes is read again; one that is too short leaves the last one in force", async () => {
    const { send, secretFile, later } = await setUp();
    expect((await send()).status).toBe(202);
    await writeFile(secretFile, "another-secret-of-16-bytes");
    later();
    expect((await send()).status).toBe(401);
    expect((await send({ secret: "another-secret-of-16-bytes" })).status).toBe(202);
    await writeFile(secretFile, "short");
    later();
    expect((await send({ secret: "short" })).status).toBe(401);
    expect((await send({ secret: "another-secret-of-16-bytes" })).status).toBe(202);
  });

  test("must have 16 bytes", async () => {
    const { webhook } = await setUp({ secret: "fifteen-bytes-x\n" });
    await expect(webhook.prepare(forever)).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
      message: expect.stringMatching(
        /^roadmap\.board\.webhook\.secretFile: .*secret has fewer than 16 bytes/,
      ),
    });
    const sufficient = await setUp({ secret: "sixteen-bytes-xy\n" });
    await sufficient.webhook.prepare(forever);
  });
});
