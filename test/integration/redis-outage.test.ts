import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import {
  inDaemonWith,
  organizationBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** A daemon with a platform, and one with a roadmap, while their Redis is stopped or gone. */

const requestLimitMs = 2_000;
let api: TestPlatform;
let bearer: string;
let platform: RunningDaemon;
let roadmap: RunningDaemon;

setUpAll(async ({ keep, newFolder, onEnd }) => {
  const folder = await newFolder("outage");
  api = await keep(
    startTestPlatform(
      {},
      silentLogger,
      inDaemonWith({
        onStart(daemon) {
          platform = daemon;
        },
      }),
    ),
  );
  bearer = await api.exchange(api.token);
  const file = join(folder, "items.json");
  await writeFile(file, JSON.stringify({ items: [] }));
  roadmap = await spawnDaemon({
    directory: join(folder, "roadmap"),
    config: {
      roadmap: { file },
      redis: { url: `${api.redis.url}/1` },
      state: { directory: join(folder, "roadmap", "state") },
    },
  });
  onEnd(() => endDaemon(roadmap));
});

const readyz = async (daemon: RunningDaemon): Promise<readonly [number, string]> => {
  const response = await fetch(`${daemon.opsUrl}/readyz`);
  return [response.status, await response.text()];
};

const isUp = async (daemon: RunningDaemon): Promise<string | undefined> => {
  const text = await (await fetch(`${daemon.opsUrl}/metrics`)).text();
  return /^telemetryd_redis_up (.+)$/m.exec(text)?.[1];
};

const health = async (path: string): Promise<readonly [number, string]> => {
  const { code, text } = await api.fetch(path);
  return [code, text];
};

/** A request's response, which comes within the limit. */
async function list() {
  const startMs = performance.now();
  const path = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
  const { code, headers, json } = await api.fetch(path, { bearer });
  expect(performance.now() - startMs).toBeLessThan(requestLimitMs);
  return { code, retryAfter: headers["retry-after"], reason: json.reason };
}

const failed = "[+]ping ok\n[-]redis failed: no response\n[+]shutdown ok\nreadyz check failed\n";

test.each([
  ["stopped", () => api.redis.signal("SIGSTOP"), () => api.redis.signal("SIGCONT")],
  ["gone", () => api.redis.kill(), () => api.redis.restart()],
])("Redis is %s: not ready, requests fail soon; then all is well by itself", async (_, begin, end) => {
  await until("both are ready", async () =>
    (await Promise.all([platform, roadmap].map(readyz))).every(([code]) => code === 200),
  );
  expect(await health("/readyz?verbose")).toEqual([
    200,
    "[+]ping ok\n[+]redis ok\n[+]shutdown ok\nreadyz check passed\n",
  ]);
  expect(await list()).toMatchObject({ code: 200 });

  await begin();
  try {
    // The first requests are under way when Redis is found not to respond.
    const brief = { code: 503, retryAfter: "1", reason: "ServiceUnavailable" };
    expect(await Promise.all([list(), list()])).toEqual([brief, brief]);
    await until("the platform is not ready", async () => (await readyz(platform))[0] === 503);
    expect(await readyz(platform)).toEqual([503, "not ready\nnot ready: Redis does not respond\n"]);
    expect(await health("/readyz")).toEqual([500, failed]);
    expect(await health("/healthz")).toEqual([
      500,
      failed.replace("[+]shutdown ok\n", "").replace("readyz", "healthz"),
    ]);
    expect(await health("/livez?verbose")).toEqual([200, "[+]ping ok\nlivez check passed\n"]);
    expect(await isUp(platform)).toBe("0");
    // The roadmap responds from memory.
    await until("the roadmap is degraded", async () =>
      (await readyz(roadmap))[1].includes("degraded: Redis"),
    );
    expect((await readyz(roadmap))[0]).toBe(200);
    // Clients that are asked to repeat a request do so ten times: too long for an outage that is known.
    await until("the outage is no longer brief", async () => (await list()).retryAfter === undefined);
    expect(await list()).toEqual({ code: 503, retryAfter: undefined, reason: "ServiceUnavailable" });
  } finally {
    await end();
  }
  await until("the platform is ready", async () => (await readyz(platform))[0] === 200);
  await until("a request succeeds", async () => (await list()).code === 200);
  expect(await readyz(platform)).toEqual([200, "ready\n"]);
  expect(await health("/readyz")).toEqual([200, "ok"]);
  expect(await isUp(platform)).toBe("1");
});
