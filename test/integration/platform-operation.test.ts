import "../support/leak-check.ts";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:https";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  addMember,
  createOrganization,
  deleteOrganization,
  listOrganizations,
  removeMember,
  showOrganization,
} from "../../src/app/commands/platform/organization.ts";
import { createToken, listTokens, revokeToken } from "../../src/app/commands/platform/token.ts";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import {
  groupDomain,
  httpsRequest,
  organizationBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Operation: limits, replicas, a Redis that becomes unavailable, and the commands. */

const signal = new AbortController().signal;

describe("a running platform", () => {
  let platform: TestPlatform;
  let bearer: string;
  const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;

  beforeAll(async () => {
    platform = await startTestPlatform({
      limits: { requestsPerSecondPerToken: 20, refusedRequestsPerSecond: 20, watchesPerToken: 2 },
      watchCheckMs: 300,
    });
    bearer = await platform.exchange(platform.token);
  });
  afterAll(() => platform.stop());

  test("patches at the same time are all made: one that comes second is made again", async () => {
    const body = { metadata: { name: "busy" }, data: {} };
    expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
    const headers = { "content-type": "application/merge-patch+json" };
    const patch = async (index: number) => {
      const more = { method: "PATCH", bearer, headers, body: { data: { [`key-${index}`]: "1" } } };
      return (await platform.fetch(`${configMaps}/busy`, more)).code;
    };
    const codes = await Promise.all(Array.from({ length: 8 }, (_, index) => patch(index)));
    expect(codes).toEqual(Array.from({ length: 8 }, () => 200));
    const { json } = await platform.fetch(`${configMaps}/busy`, { bearer });
    expect(Object.keys(json.data)).toHaveLength(8);
  });

  test("replicas serve one state, and a change through one reaches a watch of the other", async () => {
    const log = silentLogger;
    const stateDirectory = platform.stateDirectory;
    const redis = createRedis({ urls: [platform.redis.url], stateDirectory, clock: systemClock, log });
    const common = { groupDomain, stateDirectory, redis, clock: systemClock, log };
    const replica = createPlatform({ ...common, listen: { host: "127.0.0.1", port: 0 } });
    const stop = new AbortController();
    const ended = replica.service.run(stop.signal);
    await until("the replica listens", () => replica.address() !== undefined);
    const seen: string[] = [];
    const watch = openWatch(`${replica.address()}${configMaps}?watch=1`, bearer, ({ object }) => {
      seen.push(object.metadata.name);
    });
    const body = { metadata: { name: "shared" } };
    expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
    await until("the watch of the other has it", () => seen.includes("shared"));
    const { json } = await httpsRequest(`${replica.address()}${configMaps}/shared`, { bearer });
    expect(json.metadata.name).toBe("shared");
    stop.abort();
    await ended;
    await watch.ended;
  });

  test("too many watches of a token", async () => {
    const open = [1, 2].map(() => openWatch(`${platform.url}${configMaps}?watch=1`, bearer, () => undefined));
    await until("the third is refused", async () => {
      const third = openWatch(
        `${platform.url}${configMaps}?watch=1&timeoutSeconds=1`,
        bearer,
        () => undefined,
      );
      third.stop();
      const { code, json } = await platform.fetch(`${configMaps}?watch=1&timeoutSeconds=1`, { bearer });
      return code === 429 && json.reason === "TooManyRequests";
    });
    for (const watch of open) watch.stop();
    await Promise.all(open.map(({ ended }) => ended));
  });

  test("a watch ends when its token is revoked", async () => {
    const { text, id } = await platform.newToken("alice@example.com");
    const other = await platform.exchange(text);
    const seen: string[] = [];
    const watch = openWatch(`${platform.url}${configMaps}?watch=1`, other, ({ object }) => {
      seen.push(object.metadata.name);
    });
    await watch.opened;
    const body = { metadata: { name: "before-revocation" } };
    expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
    await until("the watch shows a change", () => seen.includes("before-revocation"));
    await platform.revoke(id);
    await watch.ended;
  });

  test("too many requests of a token, with the time to wait", async () => {
    let refused: { code: number; headers: Record<string, unknown>; json: { details: object } } | undefined;
    // With a handshake for each request, a busy machine may be too slow for the limit.
    const agent = new Agent({ keepAlive: true, maxSockets: 10 });
    onTestFinished(() => agent.destroy());
    await until("one is refused", async () => {
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => platform.fetch(configMaps, { bearer, agent })),
      );
      refused = responses.find(({ code }) => code === 429);
      return refused !== undefined;
    });
    expect(refused?.json).toMatchObject({
      ...{ kind: "Status", reason: "TooManyRequests", code: 429 },
      details: { retryAfterSeconds: 1 },
    });
    expect(refused?.headers["retry-after"]).toBe("1");
  });

  test("a client that is refused keeps its connection", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const create = async () => {
        const body = { metadata: { generateName: "kept-" } };
        return await httpsRequest(`${platform.url}${configMaps}`, { method: "POST", bearer, body, agent });
      };
      let refused = await create();
      while (refused.code !== 429) refused = await create();
      expect(refused.headers["connection"]).toBe("keep-alive");
      const [socket] = Object.values(agent.freeSockets).flat();
      await until("requests are taken again", async () => (await create()).code === 201);
      expect(Object.values(agent.freeSockets).flat()).toEqual([socket]);
    } finally {
      agent.destroy();
    }
  });

  test("callers of one address have their own limits; strangers share one", async () => {
    // The address has its whole burst again after this.
    await sleep(3_500, signal);
    const callers = await Promise.all(
      ["one", "two", "three"].map(async (name) => {
        const { text } = await platform.newToken(`${name}@example.com`);
        return await platform.exchange(text);
      }),
    );
    const codes = async (bearers: readonly string[]): Promise<number[]> =>
      await Promise.all(bearers.map(async (bearer) => (await platform.fetch("/version", { bearer })).code));
    expect(new Set(await codes(callers.flatMap((each) => Array<string>(40).fill(each))))).toEqual(
      new Set([200]),
    );
    const ofStrangers = new Set<number>();
    // On a busy machine a hundred may take so long that none is too many.
    await until("strangers are limited", async () => {
      for (const code of await codes(Array<string>(100).fill("wrong"))) ofStrangers.add(code);
      return ofStrangers.has(429);
    });
    expect(ofStrangers).toEqual(new Set([403, 429]));
  });

  test("while Redis is unavailable the response is 503; nothing is lost when it is back", async () => {
    await until(
      "requests are taken again",
      async () => (await platform.fetch(configMaps, { bearer })).code === 200,
    );
    await platform.redis.stop();
    await until("it is unavailable", async () => {
      const { code, json } = await platform.fetch(configMaps, { bearer });
      return code === 503 && json.reason === "ServiceUnavailable";
    });
    await platform.redis.restart();
    await until("the object is there again", async () => {
      return (await platform.fetch(`${configMaps}/shared`, { bearer })).code === 200;
    });
  });
});

test("the commands work without a daemon, on a private Redis that they start and stop", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-commands-"));
  try {
    const file = join(folder, "telemetryd.yaml");
    await writeFile(
      file,
      `platform: { listen: "127.0.0.1:0" }\nstate: { directory: ${join(folder, "data")} }\n`,
    );
    const common = { file, overrides: [], environment: {} };
    const auditFile = join(folder, "data", "platform", "audit.log");
    const run = async (command: (out: { write(text: string): void }) => Promise<void>): Promise<string> => {
      let text = "";
      await command({ write: (piece) => (text += piece) });
      return text;
    };
    const user = "alice@example.com";
    const create = () => run((out) => createOrganization({ ...common, name: "acme" }, out, signal));
    expect(await create()).toBe("organization acme created\n");
    await expect(create()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const bad = run((out) => createOrganization({ ...common, name: "No!" }, out, signal));
    await expect(bad).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const member = (name: string) => run((out) => addMember({ ...common, name, user }, out, signal));
    expect(await member("acme")).toBe(`${user} is now an admin of acme\n`);
    expect(await member("acme")).toBe(`${user} already is an admin of acme\n`);
    const provider = () =>
      run((out) => addMember({ ...common, name: "acme", user, role: "provider" }, out, signal));
    expect([await provider(), await provider()]).toEqual([
      `${user} is now a provider of acme\n`,
      `${user} already is a provider of acme\n`,
    ]);
    await expect(member("none")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const show = (name: string, output: "table" | "json") =>
      run((out) => showOrganization({ ...common, name, output }, out, signal));
    expect(await show("acme", "table")).toMatch(
      /^ +OBJECTS +BYTES +PROJECTS .* DISK\norganization acme +1\/50000 +\d+B\/512MiB +0\/1000 .* 0B\/200000GiB\nmembers: alice@example.com \(provider\)\n$/,
    );
    expect(JSON.parse(await show("acme", "json"))).toMatchObject({
      usage: { objects: 1 },
      members: [{ user, role: "provider" }],
    });
    expect(await member("acme")).toBe(`${user} is now an admin of acme\n`);
    expect(JSON.parse(await show("acme", "json"))).toMatchObject({ members: [{ user, role: "admin" }] });
    const inProject = run((out) => addMember({ ...common, name: "acme", user, project: "web" }, out, signal));
    await expect(inProject).rejects.toMatchObject({ message: "acme has no project web" });
    const remove = () => run((out) => removeMember({ ...common, name: "acme", user }, out, signal));
    expect(await remove()).toBe(`${user} is no longer a member of acme\n`);
    await expect(remove()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const listed = () => run((out) => listOrganizations(common, out, signal));
    expect(await listed()).toMatch(/^NAME +MEMBERS +PROJECTS\nacme +0 +0\n$/);
    await expect(show("none", "table")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const token = await run((out) => createToken({ ...common, user }, out, signal));
    expect(token).toMatch(/^tdp_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\n$/);
    const id = token.slice(4, 20);
    const list = () => run((out) => listTokens(common, out, signal));
    expect(await list()).toMatch(new RegExp(`^ID .*\n${id} +- +${user} +- +valid .* never\n$`));
    expect(await list()).not.toContain(token.trim());
    const named = () =>
      run((out) => createToken({ ...common, user, name: "ci", role: "viewer" }, out, signal));
    const ciId = (await named()).slice(4, 20);
    await expect(named()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await list()).toMatch(new RegExp(`${ciId} +ci +${user} +role=viewer +valid .* never\n`));
    const other = { ...common, user: "bob@example.com", name: "ci", expires: "never" };
    await run((out) => createToken(other, out, signal));
    const revokeCi = (whose?: string) =>
      run((out) => revokeToken({ ...common, token: "ci", user: whose }, out, signal));
    await expect(revokeCi()).rejects.toMatchObject({ message: expect.stringContaining("add --user") });
    expect(await revokeCi(user)).toBe("token ci revoked\n");
    expect(await revokeCi()).toBe("token ci revoked\n");
    const revoke = () => run((out) => revokeToken({ ...common, token: id }, out, signal));
    expect(await revoke()).toBe(`token ${id} revoked\n`);
    await expect(revoke()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(await list()).toMatch(new RegExp(`${id} .* revoked `));
    const deleted = () => run((out) => deleteOrganization({ ...common, name: "acme" }, out, signal));
    expect(await deleted()).toBe("organization acme deleted\n");
    await expect(deleted()).rejects.toMatchObject({ message: "there is no organization acme" });
    expect(await listed()).toMatch(/^NAME +MEMBERS +PROJECTS\n$/);
    expect(await create()).toBe("organization acme created\n");
    const pasted = run((out) => revokeToken({ ...common, token: token.trim() }, out, signal));
    await expect(pasted).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const audit = await readFile(auditFile, "utf8");
    expect(audit).not.toContain(token.trim().slice(21));
    const events = audit
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const brief = events.map(({ verb, objectRef, responseStatus: { code } }) =>
      [verb, objectRef.resource, objectRef.name, code].join(" "),
    );
    expect(brief.filter((each) => each.includes(" organizations "))).toEqual([
      "create organizations acme 201",
      "create organizations acme 409",
      "create organizations No! 422",
      "delete organizations acme 200",
      "delete organizations acme 404",
      "create organizations acme 201",
    ]);
    expect(brief.filter((each) => each.includes(" members "))).toEqual(
      [201, 200, 200, 200, 404, 200, 404, "delete 200", "delete 404"].map((each) =>
        typeof each === "number" ? `create members ${user} ${each}` : each.replace(" ", ` members ${user} `),
      ),
    );
    expect(brief.filter((each) => each.includes(" tokens "))).toEqual([
      `create tokens ${id} 201`,
      `create tokens ${ciId} 201`,
      "create tokens  409",
      expect.stringMatching(/^create tokens [0-9a-f]{16} 201$/),
      "delete tokens  409",
      `delete tokens ${ciId} 200`,
      expect.stringMatching(/^delete tokens [0-9a-f]{16} 200$/),
      `delete tokens ${id} 200`,
      "delete tokens  404",
      `delete tokens ${id} 404`,
    ]);
    const account = `system:machine:${userInfo().username}`;
    expect([...new Set(events.map((event) => event.user.username))]).toEqual([account]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
