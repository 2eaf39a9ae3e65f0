import "../support/leak-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import {
  httpsRequest,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { startTestProvider } from "../support/provider/emulated-provider.ts";
import { until } from "../support/until.ts";

/** Logs of instances, from a provider that this test is to readers. */

const releasers = new Releasers();
let platform: TestPlatform;
let admin: string;
let viewer: string;
let provider: string;

const instances = `${projectBase("web")}/apis/compute.platformapis/v1alpha/namespaces/default/instances`;
const bearerOf = async (user: string) => platform.exchange((await platform.newToken(user)).text);
const logOf = (name: string, query = "", bearer = viewer) =>
  httpsRequest(`${platform.url}${instances}/${name}/log?${query}`, { bearer });
const sendPart = (name: string, id: string, body: object, bearer = provider) =>
  httpsRequest(`${platform.url}${instances}/${name}/log?request=${id}`, { method: "POST", bearer, body });

beforeAll(async () => {
  platform = await startTestPlatform({}, silentLogger);
  releasers.push(() => platform.stop());
  await platform.member("acme", "victor@example.com", "viewer");
  admin = await platform.exchange(platform.token);
  provider = await platform.exchange(platform.providerToken);
  viewer = await bearerOf("victor@example.com");
  const send = (path: string, body: object, bearer = admin) =>
    httpsRequest(`${platform.url}${path}`, { method: "POST", bearer, body });
  await platform.createProject("web");
  for (const [name, annotations] of [
    ["web-0", { "compute.platformapis/provider": "p1" }],
    ["free-0", {}],
  ] as const) {
    const containers = ["main", "side"].map((each) => ({ name: each, image: "example.org/web:1" }));
    await until("the instance is there", async () => {
      const { code } = await send(instances, {
        ...{ apiVersion: "compute.platformapis/v1alpha", kind: "Instance", metadata: { name, annotations } },
        spec: {
          location: { name: "dfw", namespace: "default" },
          networkInterfaces: [{ network: { name: "default" } }],
          runtime: { resources: { instanceType: "platformcloud/d1-standard-2" }, sandbox: { containers } },
        },
      });
      return code === 201;
    });
  }
});
afterAll(() => releasers.releaseAll());

test.each([
  ["web-0", "container=db", 400, "container db is not valid for web-0, choose one of: [main side]"],
  ["web-0", "", 400, "a container name must be specified for web-0, choose one of: [main side]"],
  ["web-0", "container=main&tailLines=-1", 422, "tailLines"],
  ["web-0", "container=main&previous=true", 400, "leave previous out"],
  ["free-0", "container=main", 400, "instance free-0 is not running yet"],
  ["none-0", "", 404, "not found"],
])("the log of %s with %j is %d: %s", async (name, query, code, message) => {
  const response = await logOf(name, query);
  expect(response.code).toBe(code);
  expect(response.json.message).toContain(message);
});

test("a provider sends what it is asked for, and nobody else can", async () => {
  const asked: Record<string, unknown>[] = [];
  const watchAs = (id: string, bearer: string, to: unknown[]) => {
    const url = `${platform.url}${instances}?watch=1&logRequests=${id}`;
    const watch = openWatch(url, bearer, ({ type, object }) => void (type === "LOG" && to.push(object)));
    releasers.push(async () => watch.stop());
    return watch.opened;
  };
  const others: unknown[] = [];
  await watchAs("p1", provider, asked);
  await watchAs("p2", provider, others);
  await watchAs("p1", admin, others);
  const reading = logOf("web-0", "container=main&tailLines=5&follow=true");
  await until("the provider is asked", () => asked.length > 0);
  const [request = {}] = asked;
  const id = String(request["id"]);
  expect(request).toMatchObject({ namespace: "default", name: "web-0", container: "main", tailLines: 5 });
  const data = (text: string): object => ({ data: Buffer.from(text).toString("base64") });
  expect(await sendPart("web-0", id, data("forged"), admin)).toMatchObject({ code: 403 });
  expect(await sendPart("web-0", id, data("forged"), viewer)).toMatchObject({ code: 403 });
  expect(await sendPart("free-0", id, data("forged"))).toMatchObject({ code: 404 });
  expect(await sendPart("web-0", "0".repeat(32), data("forged"))).toMatchObject({ code: 404 });
  expect(await sendPart("web-0", id, data("x".repeat(300_000)))).toMatchObject({ code: 400 });
  expect(await sendPart("web-0", id, data("one\n"))).toMatchObject({ code: 200 });
  expect(await sendPart("web-0", id, { ...data("two\u001b\n"), isLast: true })).toMatchObject({ code: 200 });
  expect(await reading).toMatchObject({
    ...{ code: 200, text: "one\ntwo\u001b\n" },
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });
  await until("the request is over", async () => (await sendPart("web-0", id, data("late"))).code === 404);
  expect(others).toEqual([]);
});

test("a token's open logs are bounded; without its provider, a log is 503 with the time to wait", async () => {
  const open = Array.from({ length: 10 }, () => logOf("web-0", "container=main"));
  await until("the next one is refused", async () => (await logOf("web-0", "container=main")).code === 429);
  const responses = await Promise.all(open);
  const away = responses.filter(({ code }) => code !== 429);
  expect(away.length).toBeGreaterThan(5);
  for (const each of away) expect(each).toMatchObject({ code: 503, headers: { "retry-after": "5" } });
});

test("nothing runs at an emulated provider, which says so", async () => {
  const emulated = await startTestProvider(platform, { provider: "p1" });
  try {
    const location = { apiVersion: "networking.platformapis/v1alpha", kind: "Location" };
    await httpsRequest(
      `${platform.url}${instances.replace(/compute.*/, "")}networking.platformapis/v1alpha/namespaces/default/locations`,
      {
        ...{ method: "POST", bearer: admin },
        body: {
          ...location,
          metadata: { name: "dfw" },
          spec: {
            locationClassName: "platform-managed",
            topology: { "topology.platformapis/city-code": "DFW" },
            provider: { cloudA: { projectId: "local", region: "r", zone: "z" } },
          },
        },
      },
    );
    await until("it answers", async () => {
      const response = await logOf("web-0", "container=main");
      return response.code === 400 && response.json.message.includes("nothing runs here");
    });
  } finally {
    await emulated.stop();
  }
});
