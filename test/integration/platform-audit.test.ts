import "../support/leak-check.ts";
import { readFile, stat, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addMember } from "../../src/app/commands/platform/organization.ts";
import { connectKubectl, kubectlBinary } from "../support/plane/connected-kubectl.ts";
import {
  groupDomain,
  inDaemon,
  organizationBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { until } from "../support/until.ts";

/** The audit log of a daemon. */
let platform: TestPlatform;
let bearer: string;
const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
const secrets = `${organizationBase("acme")}/api/v1/namespaces/default/secrets`;

// biome-ignore lint/suspicious/noExplicitAny: events are looked into, field by field
async function events(): Promise<any[]> {
  const text = await readFile(join(platform.stateDirectory, "platform", "audit.log"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const brief = async (): Promise<string[]> =>
  (await events()).map(({ verb, objectRef, responseStatus, user }) =>
    [verb, objectRef?.resource, objectRef?.name, responseStatus.code, user.username].join(" "),
  );

beforeAll(async () => {
  platform = await startTestPlatform({}, undefined, inDaemon);
  bearer = await platform.exchange(platform.token);
});
afterAll(() => platform.stop());

test("writes, reads of Secrets, exchanges and refusals are in the file; other reads, values and tokens are not", async () => {
  const data = { password: Buffer.from("do-not-log-this").toString("base64") };
  const post = async (url: string, body: object, token = bearer) =>
    (await platform.fetch(url, { method: "POST", bearer: token, body })).code;
  expect(await post(secrets, { metadata: { name: "login" }, data })).toBe(201);
  expect(await post(secrets, { metadata: { name: "login" }, data })).toBe(409);
  expect(await post(secrets, { metadata: { name: "bad" }, data: { a: "do-not-log-this!" } })).toBeGreaterThan(
    399,
  );
  expect(await post(configMaps, { metadata: { generateName: "gen-" } })).toBe(201);
  expect((await platform.fetch(`${secrets}/login`, { bearer })).code).toBe(200);
  expect((await platform.fetch(`${configMaps}`, { bearer })).code).toBe(200);
  await platform.organization("other");
  const foreign = `${organizationBase("other")}/api/v1/namespaces/default/configmaps`;
  expect((await platform.fetch(foreign, { bearer })).code).toBe(403);
  expect(await post(configMaps, {}, "no-token")).toBe(403);

  const alice = "alice@example.com";
  await until("the last one is written", async () => (await brief()).at(-1)?.includes("anonymous") === true);
  const all = await brief();
  expect(all[0]).toBe(`get   200 ${alice}`);
  expect(all.slice(1)).toEqual([
    `create secrets login 201 ${alice}`,
    `create secrets login 409 ${alice}`,
    expect.stringMatching(/^create secrets \S* 4\d\d alice@example.com$/),
    expect.stringMatching(/^create configmaps gen-\w+ 201 alice@example.com$/),
    `get secrets login 200 ${alice}`,
    `list configmaps  403 ${alice}`,
    "create configmaps  403 system:anonymous",
  ]);
  const file = join(platform.stateDirectory, "platform", "audit.log");
  const text = await readFile(file, "utf8");
  for (const secret of ["do-not-log-this", data.password, platform.token, bearer, "no-token"])
    expect(text).not.toContain(secret);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a command on the machine appends to the file that the daemon writes", async () => {
  const file = join(platform.stateDirectory, "command.yaml");
  const config = {
    platform: { listen: "127.0.0.1:1", groupDomain },
    redis: { url: platform.redis.url },
    state: { directory: platform.stateDirectory },
  };
  await writeFile(file, JSON.stringify(config));
  const options = {
    file,
    overrides: [],
    environment: {},
    name: "acme",
    user: "bob",
    role: "viewer",
  } as const;
  const count = (await brief()).length;
  await addMember(options, { write: () => true }, new AbortController().signal);
  const body = { metadata: { name: "after-the-command" } };
  expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
  await until("the request is there", async () => (await brief()).length === count + 2);
  expect((await brief()).slice(count)).toEqual([
    `create members bob 201 system:machine:${userInfo().username}`,
    "create configmaps after-the-command 201 alice@example.com",
  ]);
  expect((await events()).at(count)).toMatchObject({
    userAgent: expect.stringMatching(/^telemetryd\/\S+ \(organization add-member\)$/),
    annotations: {
      [`${groupDomain}/control-plane`]: "organization/acme",
      [`${groupDomain}/role`]: "viewer",
    },
  });
});

test.skipIf(kubectlBinary === undefined)("kubectl's requests are recorded with its name", async () => {
  await using kubectl = await connectKubectl(platform);
  await kubectl.organization.ok("create", "configmap", "from-kubectl");
  await kubectl.organization.ok("delete", "configmap", "from-kubectl", "--wait=false");
  await until("both are there", async () => {
    const shown = (await events()).filter(({ objectRef }) => objectRef?.name === "from-kubectl");
    return shown.length === 2 && shown.every(({ userAgent }) => userAgent.startsWith("kubectl"));
  });
});
