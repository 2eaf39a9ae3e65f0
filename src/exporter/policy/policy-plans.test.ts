import { describe, expect, test } from "vitest";
import { exportPolicy, sink, source } from "../../../test/support/policy/export-policy.ts";
import { PolicyPlans } from "./policy-plans.ts";
import { type CheckedPolicy, checkExportPolicy } from "./spec/check-policy.ts";
import type { ReadTenant, Secret } from "./spec/types.ts";
import { PolicyStore } from "./store.ts";

function policy(name: string, secret?: string): CheckedPolicy {
  const authentication = { basicAuth: { secretRef: { name: secret } } };
  const sinks = [sink("one", ["a"], secret === undefined ? {} : { authentication })];
  return checkedPolicy({ sources: [source("a")], sinks }, { name });
}

function checkedPolicy(spec: unknown, metadata: object): CheckedPolicy {
  const json = exportPolicy(spec, { namespace: "shop", ...metadata });
  const { checked } = checkExportPolicy(json, { plane: "web", unknownFields: "error" });
  if (checked === undefined) throw new Error("the manifest has no name");
  return checked;
}

function secret(name: string, password: string): Secret {
  const data = new Map([
    ["username", "u"],
    ["password", password],
  ]);
  return { plane: "web", namespace: "shop", name, type: "kubernetes.io/basic-auth", data };
}

function storeOf(...policies: CheckedPolicy[]): { store: PolicyStore; plans: PolicyPlans } {
  const store = new PolicyStore();
  for (const one of policies) store.putPolicy(one);
  return { store, plans: new PolicyPlans(store) };
}

test("what has not changed is planned once", () => {
  const { store, plans } = storeOf(policy("a"), policy("b"), policy("c", "key"));
  store.putSecret(secret("key", "p"));
  const before = [...plans.all()];
  store.putPolicy(policy("b"));
  const after = [...plans.all()];
  expect(after.map((planned, index) => planned === before[index])).toEqual([true, false, true]);
});

test("a Secret that comes, changes or goes changes the plans that name it, and no others", () => {
  const { store, plans } = storeOf(policy("a"), policy("c", "key"));
  const passwords = () =>
    plans
      .sinks()
      .map(({ credentials }) => (credentials?.kind === "basicAuth" ? credentials.password : undefined));
  const [other] = plans.all();
  expect(passwords()).toEqual([undefined]);
  store.putSecret(secret("key", "p"));
  expect(passwords()).toEqual([undefined, "p"]);
  store.putSecret(secret("key", "q"));
  expect(passwords()).toEqual([undefined, "q"]);
  store.deleteSecret(secret("key", "q"));
  expect(passwords()).toEqual([undefined]);
  expect([...plans.all()][0]).toBe(other);
});

test("a tenant that changes changes the plans of its project", () => {
  const { store } = storeOf(policy("a"), policy("b"));
  let tenant: ReadTenant = { kind: "tenant", id: "one" };
  const plans = new PolicyPlans(store, {
    of: (plane) => (plane === "web" ? tenant : { kind: "none", message: "" }),
    subscribe: () => () => undefined,
  });
  const before = [...plans.all()];
  expect(plans.sinks().map((sink) => sink.tenant)).toEqual([tenant, tenant]);
  expect([...plans.all()]).toEqual(before);
  expect([...plans.all()].every((planned, index) => planned === before[index])).toBe(true);
  tenant = { kind: "none", message: "its annotation is missing" };
  expect(plans.sinks().map((sink) => sink.tenant)).toEqual([tenant, tenant]);
});

describe("an edit with a fault: the last version without one runs on", () => {
  const sinkTo = (name: string, endpoint: string, more: object = {}) =>
    sink(name, ["a"], { endpoint, ...more });
  const [one, two] = [sinkTo("one", "https://r.example.com/1"), sinkTo("two", "https://r.example.com/2")];
  const version = (generation: number, spec: unknown, uid = "u", annotations = {}) =>
    checkedPolicy(spec, { name: "a", uid, generation, annotations });

  const first = version(1, { sources: [source("a")], sinks: [one, two] });
  /** `sink generation endpoint paused`. */
  const running = (plans: PolicyPlans) =>
    plans
      .sinks()
      .map(({ name, generation, endpoint, paused }) =>
        [name, generation, endpoint.at(-1), ...(paused ? ["paused"] : [])].join(" "),
      );
  const bad = sinkTo("one", "ftp://r.example.com/9");

  test.each<[string, CheckedPolicy, string[], string]>([
    [
      "a bad query stops no sink that uses it",
      version(2, { sources: [source("a", "up{")], sinks: [one, two] }),
      ["one 1 1", "two 1 2"],
      "0/2 sinks are accepted. Check the status of the sinks for more details; generation 1 runs on",
    ],
    [
      "the others are those of the edit",
      version(2, { sources: [source("a")], sinks: [bad, sinkTo("two", "https://r.example.com/3")] }),
      ["one 1 1", "two 2 3"],
      "1/2 sinks are accepted. Check the status of the sinks for more details; generation 1 runs on",
    ],
    [
      "a sink that the edit removes stops, and a bad new one does not run",
      version(2, { sources: [source("a")], sinks: [two, sinkTo("three", "ftp://r.example.com/9")] }),
      ["two 2 2"],
      "1/2 sinks are accepted. Check the status of the sinks for more details.",
    ],
    [
      "an edit that is no policy",
      version(2, { sources: [source("a")] }),
      ["one 1 1", "two 1 2"],
      "spec.sinks: is required: Receivers to export to; generation 1 runs on",
    ],
    [
      "it can be paused all the same",
      version(2, { sources: [source("a", "up{")], sinks: [one, two] }, "u", {
        "telemetry.platformapis/paused": "true",
      }),
      ["one 1 1 paused", "two 1 2 paused"],
      "0/2 sinks are accepted. Check the status of the sinks for more details; generation 1 runs on",
    ],
    [
      "another policy of the same name",
      version(2, { sources: [source("a", "up{")], sinks: [one, two] }, "other"),
      [],
      "0/2 sinks are accepted. Check the status of the sinks for more details.",
    ],
  ])("%s", (_, edit, expected, message) => {
    const { store, plans } = storeOf(first);
    const isOne = (name: string) => name === "one";
    expect(running(plans)).toEqual(["one 1 1", "two 1 2"]);
    store.putPolicy(edit);
    expect(running(plans)).toEqual(expected);
    const [planned] = plans.all();
    expect(planned?.plan.ready.message).toBe(message);
    const accepted = planned?.plan.accepted.find(({ name }) => isOne(name))?.condition;
    if (expected.some((text) => text.startsWith("one 1"))) {
      expect(accepted).toMatchObject({ status: "False" });
      expect(accepted?.message).toMatch(/[^.]; generation 1 runs on$/);
    }
    // The same by a list of everything, and once more.
    const again = storeOf(first);
    again.store.replacePlane("web", { policies: [edit], secrets: [] });
    again.store.replacePlane("web", { policies: [edit], secrets: [] });
    expect(running(again.plans)).toEqual(expected);
    // What is right takes its place; what is deleted stops.
    store.putPolicy(version(3, { sources: [source("a")], sinks: [one] }));
    expect(running(plans)).toEqual(["one 3 1"]);
    again.store.deletePolicy(edit.ref);
    expect(running(again.plans)).toEqual([]);
  });

  test("one that never was without a fault exports what is right of it", () => {
    const { plans } = storeOf(version(1, { sources: [source("a")], sinks: [bad, two] }));
    expect(running(plans)).toEqual(["two 1 2"]);
  });

  test("its Secret is the present one", () => {
    const authentication = { basicAuth: { secretRef: { name: "key" } } };
    const sinks = [sinkTo("one", "https://r.example.com/1", { authentication })];
    const { store, plans } = storeOf(version(1, { sources: [source("a")], sinks }));
    store.putSecret(secret("key", "p"));
    store.putPolicy(version(2, { sources: [source("a", "up{")], sinks }));
    const passwords = () =>
      plans
        .sinks()
        .map(({ credentials }) => (credentials?.kind === "basicAuth" ? credentials.password : undefined));
    expect(passwords()).toEqual(["p"]);
    store.putSecret(secret("key", "q"));
    expect(passwords()).toEqual(["q"]);
    store.deleteSecret(secret("key", "q"));
    expect(passwords()).toEqual([]);
  });
});

test("what is lost or changed while it is gone through is left out", () => {
  const { store, plans } = storeOf(policy("a"), policy("b"), policy("c"));
  const names: string[] = [];
  for (const { plan } of plans.all()) {
    names.push(plan.ref.name);
    store.deletePolicy({ plane: "web", namespace: "shop", name: "b" });
    store.putPolicy(policy("c"));
  }
  expect(names).toEqual(["a"]);
});
