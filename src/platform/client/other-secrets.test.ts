import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { ApiOutcome, SendOptions } from "./api/plane-client.ts";
import { type NamedSecret, OtherSecrets } from "./other-secrets.ts";

const never = new AbortController().signal;
const named = (name: string, keys: string[] = []): NamedSecret => ({ namespace: "default", name, keys });

function setUp() {
  const clock = new TestClock(0);
  const state = {
    missing: [] as NamedSecret[],
    data: {} as Record<string, string>,
    there: new Set<string>(),
    isUnavailable: false,
  };
  const asked: string[] = [];
  const changes: string[][] = [];
  const values: Record<string, string>[][] = [];
  const send = async (_: string, path: string, { query, accept }: SendOptions): Promise<ApiOutcome> => {
    expect(path).toBe("/api/v1/namespaces/default/secrets");
    const isMetadata = accept?.startsWith("application/json;as=PartialObjectMetadataList;") === true;
    const [, name = ""] =
      /^metadata\.name=(\w+),type!=kubernetes\.io\/basic-auth$/.exec(query?.["fieldSelector"] ?? "") ?? [];
    asked.push(name);
    if (state.isUnavailable) return { outcome: "failed", message: "away" };
    const members = isMetadata ? {} : { type: "Opaque", data: state.data };
    return {
      outcome: "ok",
      json: { items: state.there.has(name) ? [{ metadata: { name }, ...members }] : [] },
    };
  };
  const others = new OtherSecrets({
    client: { ready: async () => {}, send, watch: () => Promise.reject(new Error("not asked for")) },
    plane: "web",
    missing: () => state.missing,
    onChange: (found) => {
      changes.push(found.map(({ name }) => name));
      values.push(found.map(({ data }) => Object.fromEntries(data)));
    },
    clock,
    log: silentLogger,
  });
  return { clock, state, asked, changes, values, others };
}

test("of what is not followed it finds out what is there", async () => {
  const { state, asked, changes, others } = setUp();
  expect(await others.tick(never)).toBe(0);
  state.missing = [named("a"), named("b")];
  state.there.add("b");
  expect(await others.tick(never)).toBe(2);
  expect([asked, changes]).toEqual([["a", "b"], [["b"]]]);
});

test("the same is asked again after half a minute, another one at once", async () => {
  const { clock, state, asked, changes, others } = setUp();
  state.missing = [named("a")];
  await others.tick(never);
  state.missing = [named("a"), named("b")];
  clock.advance(29_000);
  await others.tick(never);
  expect(asked).toEqual(["a", "b"]);
  state.there.add("a");
  clock.advance(1_000);
  await others.tick(never);
  expect(asked).toEqual(["a", "b", "a"]);
  expect(changes).toEqual([["a"]]);
  state.there.delete("a");
  clock.advance(30_000);
  await others.tick(never);
  expect(changes).toEqual([["a"], []]);
});

test("one that nobody names any more, or that is followed now, is none", async () => {
  const { state, changes, others } = setUp();
  state.missing = [named("a")];
  state.there.add("a");
  await others.tick(never);
  state.missing = [];
  await others.tick(never);
  expect(changes).toEqual([["a"], []]);
});

test("a control plane that does not respond changes nothing", async () => {
  const { clock, state, changes, others } = setUp();
  state.missing = [named("a")];
  state.there.add("a");
  await others.tick(never);
  state.isUnavailable = true;
  clock.advance(30_000);
  await others.tick(never);
  expect(changes).toEqual([["a"]]);
});

test("of a Secret that a policy reads, its keys and no others are read, and again when it was rotated", async () => {
  const { clock, state, values, others } = setUp();
  const encoded = (text: string) => Buffer.from(text).toString("base64");
  state.missing = [named("a", ["token"])];
  state.there.add("a");
  state.data = { token: encoded("old"), other: encoded("x") };
  await others.tick(never);
  clock.advance(30_000);
  await others.tick(never);
  state.data = { token: encoded("new"), other: encoded("y") };
  clock.advance(30_000);
  await others.tick(never);
  expect(values).toEqual([[{ token: "old" }], [{ token: "new" }]]);
});
