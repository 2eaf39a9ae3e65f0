import "../support/leak-check.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { deleteOrganization } from "../../src/app/commands/platform/organization.ts";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import type { TokenScope } from "../../src/kube-server/access/directory.ts";
import type { Role } from "../../src/kube-server/api/roles.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { kubectlBinary } from "../support/plane/connected-kubectl.ts";
import { createKubectl, type Kubectl } from "../support/plane/kubectl.ts";
import {
  groupDomain,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
  writeKubeconfig,
} from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Roles of members, in an organization and in its projects. */
let platform: TestPlatform;
let admin: string;
const organization = organizationBase("acme");
const project = projectBase("web");
const configMaps = (base: string) => `${base}/api/v1/namespaces/default/configmaps`;
const secrets = (base: string) => `${base}/api/v1/namespaces/default/secrets`;
const group = `resourcemanager.${groupDomain}/v1alpha`;

async function createProject(base: string, name: string, bearer: string): Promise<void> {
  const body = { apiVersion: group, kind: "Project", metadata: { name } };
  await platform.fetch(`${base}/apis/${group}/projects`, { method: "POST", bearer, body });
  const maps = configMaps(projectBase(name));
  await until("the project is there", async () => (await platform.fetch(maps, { bearer })).code === 200);
}

beforeAll(async () => {
  platform = await startTestPlatform();
  admin = await platform.exchange(platform.token);
  await createProject(organization, "web", admin);
});
afterAll(() => platform.stop());

async function bearerOf(user: string): Promise<string> {
  return await platform.exchange((await platform.newToken(user)).text);
}

async function codes(bearer: string, base: string): Promise<string> {
  const body = { metadata: { generateName: "made-" } };
  const read = await platform.fetch(configMaps(base), { bearer });
  const write = await platform.fetch(configMaps(base), { method: "POST", bearer, body });
  const secret = await platform.fetch(secrets(base), { bearer });
  const watch = await platform.fetch(`${secrets(base)}?watch=1&timeoutSeconds=1`, { bearer });
  return [read, write, secret, watch].map(({ code }) => code).join(" ");
}

test.each<[string, Role | undefined, Role | undefined, string, string]>([
  ["admin", "admin", undefined, "200 201 200 200", "200 201 200 200"],
  ["editor", "editor", undefined, "200 201 200 200", "200 201 200 200"],
  ["viewer", "viewer", undefined, "200 403 403 403", "200 403 403 403"],
  ["provider", "provider", undefined, "200 403 200 200", "200 403 200 200"],
  ["a viewer who edits a project", "viewer", "editor", "200 403 403 403", "200 201 200 200"],
  ["an editor who only views a project", "editor", "viewer", "200 201 200 200", "200 403 403 403"],
  ["a member of a project only", undefined, "editor", "403 403 403 403", "200 201 200 200"],
  ["nobody", undefined, undefined, "403 403 403 403", "403 403 403 403"],
])("%s", async (title, inOrganization, inProject, expectedInOrganization, expectedInProject) => {
  const user = `${title.replaceAll(" ", "-")}@example.com`;
  if (inOrganization !== undefined) await platform.member("acme", user, inOrganization);
  if (inProject !== undefined) await platform.member("acme", user, inProject, "web");
  const bearer = await bearerOf(user);
  expect(await codes(bearer, organization)).toBe(expectedInOrganization);
  expect(await codes(bearer, project)).toBe(expectedInProject);
  await platform.removeMember("acme", user);
  expect(await codes(bearer, organization)).toBe("403 403 403 403");
  expect(await codes(bearer, project)).toBe("403 403 403 403");
});

test.each<[string, TokenScope, string, string]>([
  ["of the organization", { organization: "acme" }, "200 201 200 200", "200 201 200 200"],
  ["of another organization", { organization: "other" }, "403 403 403 403", "403 403 403 403"],
  ["of the project", { project: "web" }, "403 403 403 403", "200 201 200 200"],
  ["of another project", { project: "shop" }, "403 403 403 403", "403 403 403 403"],
  ["of a role", { role: "viewer" }, "200 403 403 403", "200 403 403 403"],
  ["of both", { organization: "acme", project: "web", role: "viewer" }, "403 403 403 403", "200 403 403 403"],
])("a token %s", async (_title, scope, inOrganization, inProject) => {
  const bearer = await platform.exchange((await platform.newToken("alice@example.com", { scope })).text);
  expect(await codes(bearer, organization)).toBe(inOrganization);
  expect(await codes(bearer, project)).toBe(inProject);
});

test("a token never has more rights than its user", async () => {
  await platform.member("acme", "v2@example.com", "viewer");
  const { text } = await platform.newToken("v2@example.com", { scope: { role: "admin" } });
  expect(await codes(await platform.exchange(text), project)).toBe("200 403 403 403");
  await platform.member("acme", "p2@example.com", "provider");
  const ofProvider = await platform.newToken("p2@example.com", { scope: { role: "editor" } });
  expect(await codes(await platform.exchange(ofProvider.text), project)).toBe("200 403 403 403");
});

test("a token that expires loses access, with its bearer tokens; its last use is known", async () => {
  const expiresAt = new Date(Date.now() + 3_000).toISOString();
  const { text, id } = await platform.newToken("alice@example.com", { name: "brief", expiresAt });
  const used = async () => (await platform.tokens()).find((each) => each.id === id)?.lastUsedAt;
  expect(await used()).toBeUndefined();
  const bearer = await platform.exchange(text);
  expect((await platform.fetch(configMaps(project), { bearer })).code).toBe(200);
  await until("its use is written", async () => (await used()) !== undefined);
  const first = await used();
  await until("it has expired", async () => {
    return (await platform.fetch(configMaps(project), { bearer })).code === 403;
  });
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
  await expect(platform.exchange(text)).rejects.toThrow("not exchanged: 403");
  // At most once a minute.
  expect(await used()).toBe(first);
});

test("a refusal names user, verb, resource, place and role", async () => {
  await platform.member("acme", "v@example.com", "viewer");
  const { json } = await platform.fetch(secrets(project), { bearer: await bearerOf("v@example.com") });
  expect(json.message).toBe(
    'secrets is forbidden: User "v@example.com" cannot list resource "secrets" in API group "" in the namespace "default": the role viewer does not permit it',
  );
});

test("watches on another daemon end within 5 s when a member is removed or has another role", async () => {
  const redis = createRedis({
    ...{ urls: [platform.redis.url], stateDirectory: platform.stateDirectory },
    ...{ clock: systemClock, log: silentLogger },
  });
  const common = { groupDomain, stateDirectory: platform.stateDirectory, redis, clock: systemClock };
  const replica = createPlatform({ ...common, log: silentLogger, listen: { host: "127.0.0.1", port: 0 } });
  const stop = new AbortController();
  const ended = replica.service.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await until("the replica listens", () => replica.address() !== undefined);
  await platform.member("acme", "w@example.com", "editor");
  const bearer = await bearerOf("w@example.com");
  for (const change of [
    () => platform.member("acme", "w@example.com", "viewer"),
    () => platform.removeMember("acme", "w@example.com"),
  ]) {
    const watch = openWatch(`${replica.address()}${configMaps(project)}?watch=1`, bearer, () => undefined);
    const others = openWatch(`${replica.address()}${configMaps(project)}?watch=1`, admin, () => undefined);
    await Promise.all([watch.opened, others.opened]);
    await change();
    const startMs = performance.now();
    await watch.ended;
    expect(performance.now() - startMs).toBeLessThan(5_000);
    const first = await Promise.race([others.ended.then(() => "ended"), Promise.resolve("open")]);
    expect(first).toBe("open");
    others.stop();
    await others.ended;
  }
});

test("members of an earlier version are admins or providers, and are made so at the start", async () => {
  const redis = new Redis(platform.redis.url);
  onTestFinished(() => redis.disconnect());
  await redis.sadd("{telemetryd}:platform-access:members:acme", "old@example.com", "oldp@example.com");
  await redis.sadd("{telemetryd}:platform-access:providers:acme", "oldp@example.com");
  expect(await codes(await bearerOf("old@example.com"), organization)).toBe("200 201 200 200");
  await platform.restart();
  expect(
    await redis.hmget("{telemetryd}:platform-access:roles:acme", "old@example.com", "oldp@example.com"),
  ).toEqual(["admin", "provider"]);
});

test("a role that only a newer version knows gives no rights", async () => {
  const redis = new Redis(platform.redis.url);
  onTestFinished(() => redis.disconnect());
  const bearer = await bearerOf("newer@example.com");
  await platform.member("acme", "newer@example.com", "admin");
  await redis.hset("{telemetryd}:platform-access:roles:acme", "newer@example.com", "auditor");
  expect(await codes(bearer, organization)).toBe("403 403 403 403");
  expect(await codes(bearer, project)).toBe("403 403 403 403");
});

test("an organization with projects is deleted only with --with-projects, by a command beside the daemon", async () => {
  await platform.organization("gone");
  await platform.member("gone", "alice@example.com");
  await createProject(organizationBase("gone"), "gone-web", admin);
  const file = join(platform.stateDirectory, "command.yaml");
  const text = `platform:\nredis: { url: "${platform.redis.url}" }\nstate: { directory: data }\n`;
  await writeFile(file, text);
  let out = "";
  const remove = (withProjects: boolean) =>
    deleteOrganization(
      { file, overrides: [], environment: {}, name: "gone", withProjects },
      { write: (piece: string) => (out += piece) },
      new AbortController().signal,
    );
  await expect(remove(false)).rejects.toMatchObject({
    message: "gone has 1 projects (gone-web); delete them first, or add --with-projects",
  });
  const maps = configMaps(projectBase("gone-web"));
  expect((await platform.fetch(maps, { bearer: admin })).code).toBe(200);
  await remove(true);
  expect(out).toBe("organization gone deleted\n");
  expect((await platform.fetch(maps, { bearer: admin })).code).toBe(403);
  expect((await platform.fetch(configMaps(organizationBase("gone")), { bearer: admin })).code).toBe(403);
  const redis = new Redis(platform.redis.url);
  onTestFinished(() => redis.disconnect());
  const left = (await redis.keys("*gone*")).filter((key) => !key.endsWith(":former-projects"));
  expect(left).toEqual([]);
  await platform.organization("gone");
  await platform.member("gone", "alice@example.com");
  expect((await platform.fetch(configMaps(organizationBase("gone")), { bearer: admin })).code).toBe(200);
});

test.skipIf(kubectlBinary === undefined)("kubectl auth can-i says the truth", async () => {
  const connect = async (role: Role): Promise<Kubectl> => {
    const user = `can-i-${role}@example.com`;
    await platform.member("acme", user, role);
    const file = join(platform.stateDirectory, `${role}.json`);
    await writeKubeconfig(platform, file, project, await bearerOf(user));
    return createKubectl(kubectlBinary ?? "", file, join(platform.stateDirectory, `cache-${role}`));
  };
  const [viewer, editor] = [await connect("viewer"), await connect("editor")];
  const canI = async (kubectl: Kubectl, ...args: string[]) =>
    (await kubectl.run(["auth", "can-i", ...args])).out.trim().split(" ")[0];
  expect(await canI(viewer, "list", "configmaps")).toBe("yes");
  expect(await canI(viewer, "get", "secrets")).toBe("no");
  expect(await canI(viewer, "create", "configmaps")).toBe("no");
  expect(await canI(editor, "get", "secrets")).toBe("yes");
  expect(await canI(editor, "patch", "exportpolicies", "--subresource=status")).toBe("no");
  const rules = await viewer.ok("auth", "can-i", "--list");
  expect(rules).toMatch(/^configmaps .*\[get list watch\]$/m);
  expect(rules).not.toMatch(/^secrets /m);
  const refused = await viewer.run(["get", "secrets"]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('User "can-i-viewer@example.com" cannot list resource "secrets"');
});
