import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeBoard } from "../../../test/support/contracts/board.ts";
import { type FakeGithub, startFakeGithub } from "../../../test/support/roadmap/github-server.ts";
import { setUpAll, setUpEach } from "../../../test/support/set-up.ts";
import { type Clock, systemClock } from "../../base/core/clock.ts";
import type { Board } from "./board.ts";
import { createGithubBoard, type GithubBoardOptions } from "./github-board.ts";

const wrong = "Something went wrong while executing your query. This may be the result of a timeout.";
const never = new AbortController().signal;
/** Retries without a pause. */
const clock: Clock = { ...systemClock, sleep: async () => undefined };

let directory = "";
let tokenFile = "";
setUpAll(async ({ newFolder }) => {
  directory = await newFolder("github-board");
  tokenFile = join(directory, "token");
  await writeFile(tokenFile, "ghp_secret\n");
});

function board(apiUrl: string, options: Partial<GithubBoardOptions> = {}): Board {
  return createGithubBoard({
    organization: "acme",
    number: 22,
    apiUrl,
    credentials: { kind: "token", tokenFile },
    clock,
    ...options,
  });
}

describeBoard("GitHub project", async () => {
  const github = await startFakeGithub();
  let changes = 0;
  return {
    board: board(github.url),
    fill: async (items) => {
      github.items = [...items];
      github.updatedAt = new Date(Date.UTC(2026, 0, 1) + ++changes * 1_000).toISOString();
    },
    spoil: async () => {
      github.intercept = () => ({ status: 502, body: "<html>Bad gateway</html>" });
    },
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  };
});

describe("reading a GitHub project", () => {
  let github: FakeGithub;
  setUpEach(async ({ keep }) => {
    github = await keep(startFakeGithub());
    github.items = Array.from({ length: 230 }, (_, index) => ({ number: index + 1 }));
  });

  test("an item that the token may not read is left out; the others are read", async () => {
    const refused = (path: readonly (string | number)[]) => ({
      ...{ type: "FORBIDDEN", message: "Resource protected by organization SAML enforcement." },
      path: ["node", "items", "nodes", ...path],
    });
    const item = (number: number, content: unknown) => ({
      ...{ id: `PVTI_${number}`, type: "ISSUE", isArchived: false, fieldValueByName: { name: "Planned" } },
      content,
    });
    const url = "https://github.com/acme/site/issues/1";
    const page = (nodes: readonly unknown[], errors: readonly unknown[]) => {
      const items = { totalCount: 3, pageInfo: { hasNextPage: false, endCursor: null }, nodes };
      const node = { updatedAt: "2026-10-01T00:00:00Z", items };
      return { status: 200, body: JSON.stringify({ data: { node }, errors }) };
    };
    const shown = item(1, { number: 1, title: "a\u0000b\nc", url, labels: { nodes: [] } });
    let answer = page([shown, item(2, null), null], [refused([1, "content"]), refused([2])]);
    github.intercept = (_, query) => (query.includes("BoardItems") ? answer : undefined);
    const result = await board(github.url).items(never);
    if (!result.ok) throw new Error(result.failure.message);
    expect(result.value.items.map(({ title }) => title)).toEqual(["a\ufffdb c"]);
    expect(result.value.leftOut).toBe(2);
    expect(result.value.warnings).toEqual([
      "2 items of project 22 of acme cannot be read and are left out: Resource protected by organization SAML enforcement.",
    ]);
    answer = page([shown, item(2, null), null], [{ ...refused([1]), path: ["node"] }]);
    expect(await board(github.url).items(never)).toMatchObject({ ok: false, failure: { kind: "forbidden" } });
  });

  test("pages that GitHub cannot send are halved down to ten items, and stay small for an hour", async () => {
    const sizes: number[] = [];
    let nowMs = 0;
    let most = 15;
    const gaveUp = { status: 200, body: JSON.stringify({ errors: [{ message: wrong }] }) };
    github.intercept = (_, query) => {
      if (!query.includes("BoardItems")) return undefined;
      const { first } = github.variables.at(-1) as { first: number };
      sizes.push(first);
      return first > most ? gaveUp : undefined;
    };
    const source = board(github.url, { clock: { ...clock, monotonicMs: () => nowMs } });
    const first = await source.items(never);
    expect(first.ok && first.value.items.length).toBe(230);
    expect(sizes.slice(0, 6)).toEqual([100, 50, 25, 12, 12, 12]);
    sizes.length = 0;
    nowMs = 3_599_999;
    await source.items(never);
    expect(new Set(sizes)).toEqual(new Set([12]));
    sizes.length = 0;
    nowMs = 2 * 3_600_000;
    most = 9;
    expect(await source.items(never)).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
    expect(sizes).toEqual([100, 50, 25, 12, 10, 10, 10]);
  });

  test("leaves out drafts, archived items and those of hidden repositories; knows the statuses", async () => {
    github.items = [
      { number: 1, type: "DRAFT_ISSUE" },
      { number: 2, type: "REDACTED" },
      { number: 3, isArchived: true },
      { number: 4, type: "PULL_REQUEST" },
      { number: 5, status: null },
    ];
    const result = await board(github.url).items(never);
    expect(result.ok && result.value.items.map(({ number, status }) => [number, status])).toEqual([
      [4, "Planned"],
      [5, ""],
    ]);
    expect(result.ok && result.value.leftOut).toBe(3);
    expect(await board(github.url).head(never)).toMatchObject({
      ok: true,
      value: { statuses: ["Backlog", "Planned", "In progress", "Done"], version: github.updatedAt },
    });
  });

  test("a page that fails with 502 twice is asked for again, the others are not", async () => {
    github.intercept = (request) => (request === 3 || request === 4 ? { status: 502, body: "" } : undefined);
    const result = await board(github.url).items(never);
    expect(result.ok && result.value.items.length).toBe(230);
    // The project, three pages, two repeats.
    expect(github.queries.length).toBe(6);
  });

  test("a failure on the last page is a failure of all", async () => {
    github.intercept = (request) => (request >= 4 ? { status: 500, body: "{}" } : undefined);
    expect(await board(github.url).items(never)).toMatchObject({
      ok: false,
      failure: { kind: "unavailable" },
    });
  });

  test("a board that changes while it is read is read again", async () => {
    let isChanged = false;
    github.onPage = () => {
      if (isChanged) return;
      isChanged = true;
      github.items = github.items.slice(1);
      github.updatedAt = "2026-10-02T00:00:00Z";
    };
    const result = await board(github.url).items(never);
    expect(result.ok && result.value.items.length).toBe(229);
  });

  test.each([
    ["no right to read projects", () => Object.assign(github, { isVisible: false }), "not-found"],
    [
      "an error inside of a 200",
      () => {
        github.intercept = () => ({
          status: 200,
          body: JSON.stringify({
            data: { organization: null },
            errors: [{ type: "INSUFFICIENT_SCOPES", message: "needs read:project" }],
          }),
        });
      },
      "forbidden",
    ],
    [
      "every item hidden",
      () => Object.assign(github, { items: [{ number: 1, type: "REDACTED" }] }),
      "forbidden",
    ],
    [
      "JSON of another kind",
      () => {
        github.intercept = () => ({ status: 200, body: '{"data":{"organization":{"projectV2":{"id":7}}}}' });
      },
      "malformed",
    ],
    [
      "a page of HTML",
      () => {
        github.intercept = () => ({
          status: 200,
          headers: { "content-type": "text/html" },
          body: "<h1>hi</h1>",
        });
      },
      "malformed",
    ],
    [
      "pages without an end",
      () => {
        const page = {
          updatedAt: "2026-10-01T00:00:00Z",
          items: { totalCount: 1, pageInfo: { hasNextPage: true, endCursor: "same" }, nodes: [] },
        };
        github.intercept = (_request, query) =>
          query.includes("BoardItems")
            ? { status: 200, body: JSON.stringify({ data: { node: page } }) }
            : undefined;
      },
      "malformed",
    ],
    [
      "fewer items than there are",
      () => {
        const page = {
          updatedAt: "2026-10-01T00:00:00Z",
          items: { totalCount: 9, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [null] },
        };
        github.intercept = (_request, query) =>
          query.includes("BoardItems")
            ? { status: 200, body: JSON.stringify({ data: { node: page } }) }
            : undefined;
      },
      "incomplete",
    ],
  ])("%s is a failure, not an empty backlog", async (_name, spoil, kind) => {
    spoil();
    expect(await board(github.url).items(never)).toMatchObject({ ok: false, failure: { kind } });
  });

  test("a rate limit is reported with its time and not tried again", async () => {
    github.intercept = () => ({ status: 403, headers: { "retry-after": "120" }, body: "{}" });
    expect(await board(github.url).head(never)).toMatchObject({
      ok: false,
      failure: { kind: "rate-limited", retryAfterMs: 120_000 },
    });
    expect(github.queries.length).toBe(1);
  });

  test("the token file is read each time, and no message holds the token", async () => {
    const own = join(directory, "changing");
    await writeFile(own, "bad");
    const changing = board(github.url, { credentials: { kind: "token", tokenFile: own } });
    const refused = await changing.head(never);
    expect(refused).toMatchObject({ ok: false, failure: { kind: "unauthorized" } });
    await writeFile(own, "ghp_secret");
    expect((await changing.head(never)).ok).toBe(true);
    expect(github.authorizations.at(-1)).toBe("bearer ghp_secret");
    expect(JSON.stringify(refused)).not.toContain("bearer");
  });

  test("a server that does not respond ends with the signal", async () => {
    github.intercept = () => ({ status: 200, body: "", delayMs: 30_000 });
    const controller = new AbortController();
    const reading = board(github.url).head(controller.signal);
    setTimeout(() => controller.abort(new Error("stop")), 50);
    await expect(reading).rejects.toThrow("stop");
  });

  test("an App signs in with its key and keeps its token until GitHub refuses it", async () => {
    const key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const privateKeyFile = join(directory, "key.pem");
    await writeFile(privateKeyFile, key.export({ type: "pkcs1", format: "pem" }));
    const app = board(github.url, {
      credentials: { kind: "app", id: 1, installationId: 2, privateKeyFile },
    });
    expect((await app.items(never)).ok).toBe(true);
    expect(github.tokensIssued).toBe(1);
    expect(github.authorizations.at(-1)).toBe("bearer ghs_1");
    github.intercept = () => ({ status: 401, body: '{"message":"Bad credentials"}' });
    await app.head(never);
    github.intercept = () => undefined;
    expect((await app.head(never)).ok).toBe(true);
    expect(github.tokensIssued).toBe(2);
  });

  test("an Enterprise Server's GraphQL is found beside its REST API", async () => {
    expect((await board(`${github.url}/api/v3`).head(never)).ok).toBe(true);
  });
});
