import { expect, test } from "vitest";
import { PolicyPlans } from "./policy-plans.ts";
import { type CheckedPolicy, checkExportPolicy } from "./spec/check-policy.ts";
import type { ReadTenant, Secret } from "./spec/types.ts";
import { PolicyStore } from "./store.ts";

function policy(name: string, secret?: string): CheckedPolicy {
  const authentication = { basicAuth: { secretRef: { name: secret } } };
  const remoteWrite = { endpoint: "https://r.example.com/", ...(secret && { authentication }) };
  const { checked } = checkExportPolicy(
    {
      apiVersion: "telemetry.platformapis/v1alpha1",
      kind: "ExportPolicy",
      metadata: { name, namespace: "shop" },
      spec: {
        sources: [{ name: "up", metrics: { metricsql: "up" } }],
        sinks: [{ name: "one", sources: ["up"], target: { prometheusRemoteWrite: remoteWrite } }],
      },
    },
    { plane: "web", unknownFields: "error" },
  );
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
  const passwords = () => plans.sinks().map(({ basicAuth }) => basicAuth?.password);
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
  const plans = new PolicyPlans(store, (plane) => (plane === "web" ? tenant : { kind: "none", message: "" }));
  const before = [...plans.all()];
  expect(plans.sinks().map((sink) => sink.tenant)).toEqual([tenant, tenant]);
  expect([...plans.all()]).toEqual(before);
  expect([...plans.all()].every((planned, index) => planned === before[index])).toBe(true);
  tenant = { kind: "none", message: "its annotation is missing" };
  expect(plans.sinks().map((sink) => sink.tenant)).toEqual([tenant, tenant]);
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
