import "../support/leak-check.ts";
import type { ClientRequest } from "node:http";
import { request } from "node:https";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PlatformOptions } from "../../src/platform/platform.ts";
import { organizationBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Watches whose readers do not keep up with large objects. */

let platform: TestPlatform;
let bearer: string;
const path = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
const idle: ClientRequest[] = [];

async function start(overrides: Partial<PlatformOptions>): Promise<void> {
  platform = await startTestPlatform({
    limits: { requestsPerSecondPerToken: 100_000 },
    ...overrides,
  });
  bearer = await platform.exchange(platform.token);
}

beforeEach(() => {
  idle.length = 0;
});
afterEach(async () => {
  for (const each of idle) each.destroy();
  await platform.stop();
});

/** A watch whose reader reads only the head. */
function openIdleWatch(query: string): void {
  const outgoing = request(`${platform.url}${path}?watch=1${query}`, {
    ...{ agent: false, rejectUnauthorized: false },
    headers: { authorization: `Bearer ${bearer}` },
  });
  outgoing.on("response", (response) => {
    response.pause();
    response.on("error", () => undefined);
  });
  outgoing.on("error", () => undefined);
  outgoing.end();
  idle.push(outgoing);
}

const megabyte = "x".repeat(1_000_000);

async function createLarge(): Promise<string> {
  const body = { metadata: { name: "large" }, data: { text: megabyte } };
  const { json } = await platform.fetch(path, { method: "POST", bearer, body });
  return json.metadata.resourceVersion as string;
}

async function touch(times: number): Promise<string> {
  let version = "";
  for (let round = 0; round < times; round++) {
    const response = await platform.fetch(`${path}/large`, {
      ...{ method: "PATCH", bearer, body: { data: { round: `${round} of ${times}` } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect(response.code).toBe(200);
    version = response.json.metadata.resourceVersion;
  }
  return version;
}

test("thirty watches far behind take what watches may take, whatever the log holds", async () => {
  await start({ changeLog: { maxBytes: 64 * 2 ** 20 } });
  const from = await createLarge();
  await touch(40);
  const before = process.memoryUsage.rss();
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() - before);
  }, 20);
  try {
    for (let index = 0; index < 30; index++) openIdleWatch(`&resourceVersion=${from}`);
    let seen = 0;
    const reading = openWatch(`${platform.url}${path}?watch=1&resourceVersion=${from}`, bearer, () => seen++);
    await until("the one that reads has everything", () => seen === 40);
    expect((await platform.fetch(`${path}?limit=1`, { bearer })).code).toBe(200);
    reading.stop();
    await reading.ended;
  } finally {
    clearInterval(sampling);
  }
  expect(peak).toBeLessThan(400_000_000);
});

test("a reader that takes nothing is ended; the others get everything", async () => {
  const limits = { requestsPerSecondPerToken: 100_000, watchesPerToken: 2 };
  await start({ limits, unsent: { stallMs: 1_000 } });
  const from = await createLarge();
  openIdleWatch(`&resourceVersion=${from}`);
  let last = "";
  const quick = openWatch(`${platform.url}${path}?watch=1&resourceVersion=${from}`, bearer, ({ object }) => {
    last = object.metadata.resourceVersion;
  });
  const newest = await touch(10);
  await until("the one that reads has everything", () => last === newest);
  // A client that does not read does not see its connection end; the freed slot shows it.
  await until("there is room for another", async () => {
    return (await platform.fetch(`${path}?watch=1&timeoutSeconds=1`, { bearer })).code === 200;
  });
  quick.stop();
  await quick.ended;
});

test("readers that take nothing cannot hold the room of all watches for long", async () => {
  await start({ unsent: { maxBytes: 2_000_000, crowdedStallMs: 500 } });
  const from = await createLarge();
  for (let index = 0; index < 10; index++) openIdleWatch(`&resourceVersion=${from}`);
  const newest = await touch(6);
  let last = "";
  const quick = openWatch(`${platform.url}${path}?watch=1&resourceVersion=${from}`, bearer, ({ object }) => {
    last = object.metadata.resourceVersion;
  });
  await until("the one that reads has everything", () => last === newest);
  quick.stop();
  await quick.ended;
});
