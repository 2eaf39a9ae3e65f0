import { expect, test } from "vitest";
import type { ReadTenant, SinkPlan } from "../../policy/spec/types.ts";
import { readOwner } from "./read-owner.ts";

const id: ReadTenant = { kind: "tenant", id: "team-a" };

test.each<[plane: string, tenant: ReadTenant | undefined, label: string | undefined, owner: string]>([
  ["web", undefined, undefined, "web/default/all/-/"],
  ["web", undefined, "web", "web"],
  ["directory", undefined, undefined, "directory/default/all/-/"],
  // Two projects of one tenant take turns, as do two policies of the directory.
  ["web", id, undefined, "web"],
  ["directory", id, undefined, "directory/default/all/-/"],
])("%s, read as %j and the label %s", (plane, tenant, value, owner) => {
  const policy = { plane, namespace: "default", name: "all", uid: "-" };
  const plan = { policy, name: "sink", tenant } as SinkPlan;
  const label = value === undefined ? undefined : { label: "project", value };
  expect(readOwner(plan, `${plane}/default/all/-/sink`, label)).toBe(owner);
});
