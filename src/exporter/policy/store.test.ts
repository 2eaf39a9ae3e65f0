import { expect, test } from "vitest";
import { redact } from "../../base/log/redact.ts";
import type { CheckedPolicy } from "./spec/check-policy.ts";
import type { Secret } from "./spec/types.ts";
import { PolicyStore } from "./store.ts";

const policy = (plane: string, name: string, uid = "-"): CheckedPolicy => ({
  ref: { plane, namespace: "default", name, uid },
  generation: 1,
  policy: undefined,
  paused: new Set(),
  sinks: [],
  faults: [],
  reported: new Map(),
});
const secret = (plane: string, name: string): Secret => ({
  plane,
  namespace: "default",
  name,
  type: "Opaque",
  data: new Map(),
});
const names = (store: PolicyStore) =>
  store.policies().map(({ ref }) => `${ref.plane}/${ref.name}/${ref.uid}`);

test("a plane is swapped whole and leaves the others alone", () => {
  const store = new PolicyStore();
  expect(store.hasPlane("a")).toBe(false);
  store.replacePlane("a", {
    policies: [policy("a", "one"), policy("a", "two")],
    secrets: [secret("a", "s")],
  });
  store.replacePlane("b", { policies: [policy("b", "one")], secrets: [] });
  store.replacePlane("a", { policies: [policy("a", "three")], secrets: [] });
  expect(names(store)).toEqual(["a/three/-", "b/one/-"]);
  expect(store.secret("a", "default", "s")).toBeUndefined();
  store.removePlane("a");
  expect(names(store)).toEqual(["b/one/-"]);
  expect(store.hasPlane("a")).toBe(false);
});

test("single changes; a new uid takes the old one's place", () => {
  const store = new PolicyStore();
  store.putPolicy(policy("a", "one", "1"));
  store.putPolicy(policy("a", "one", "2"));
  store.putSecret(secret("a", "s"));
  expect(names(store)).toEqual(["a/one/2"]);
  expect(store.secret("a", "default", "s")?.name).toBe("s");
  expect(store.secret("b", "default", "s")).toBeUndefined();
  store.deletePolicy(policy("a", "one").ref);
  store.deleteSecret(secret("a", "s"));
  expect(names(store)).toEqual([]);
  expect(store.secret("a", "default", "s")).toBeUndefined();
});

test("listeners are called for many changes once, of their own again, and of none after they left", async () => {
  const store = new PolicyStore();
  let heard = 0;
  const leave = store.subscribe(() => {
    heard++;
    if (heard === 1) store.putPolicy(policy("a", "from the listener"));
  });
  store.putPolicy(policy("a", "one"));
  store.putPolicy(policy("a", "two"));
  expect(heard).toBe(0);
  await Promise.resolve();
  expect(heard).toBe(1);
  await Promise.resolve();
  expect(heard).toBe(2);
  store.deletePolicy(policy("a", "never there").ref);
  await Promise.resolve();
  expect(heard).toBe(2);
  leave();
  store.putPolicy(policy("a", "three"));
  await Promise.resolve();
  expect(heard).toBe(2);
});

test("a policy is found by its reference, uid included", () => {
  const store = new PolicyStore();
  const present = policy("a", "one", "u1");
  store.putPolicy(present);
  expect(store.policy(present.ref)).toBe(present);
  expect(store.policy({ ...present.ref, uid: "u2" })).toBeUndefined();
  expect(store.policy({ ...present.ref, plane: "b" })).toBeUndefined();
});

test("passwords are known to redaction while their Secret is there, whichever way it came, and the old one after a change", () => {
  const store = new PolicyStore();
  const withPassword = (plane: string, password: string): Secret => ({
    ...secret(plane, "s"),
    data: new Map([
      ["username", "user"],
      ["password", password],
    ]),
  });
  store.replacePlane("a", { policies: [], secrets: [withPassword("a", "swapped-in")] });
  store.putSecret(withPassword("a", "put-instead"));
  store.putSecret(withPassword("b", "of-another-plane"));
  const pair = Buffer.from("user:put-instead").toString("base64url");
  expect(redact(`swapped-in put-instead ${pair} of-another-plane`)).toBe("*** *** *** ***");
});
