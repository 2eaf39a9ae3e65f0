import { describe, expect, test } from "vitest";
import type { JsonObject } from "../kube-server/api/object.ts";
import { type Review, reviews } from "../kube-server/api/reviews.ts";
import { mayWriteStatus, type Role, roles } from "../kube-server/api/roles.ts";
import { accessDecision, reviewResponse } from "../kube-server/http/reviews.ts";
import { servedKinds } from "./served-kinds.ts";

const kinds = servedKinds("example");

/** Who writes the status of each kind that has one, beside the platform. */
const writers: Record<string, readonly Role[]> = {
  "/namespaces": [],
  "resourcemanager.example/projects": [],
  "telemetry.example/exportpolicies": ["admin", "provider"],
  "networking.example/locations": ["provider"],
  "compute.example/locations": ["provider"],
  "networking.example/networks": [],
  "networking.example/networkbindings": [],
  "networking.example/networkcontexts": ["provider"],
  "networking.example/networkpolicies": [],
  "networking.example/subnetclaims": [],
  "networking.example/subnets": ["provider"],
  "compute.example/workloads": [],
  "compute.example/workloaddeployments": [],
  "compute.example/instances": ["provider"],
  "networking.example/httpproxies": [],
  "gateway.networking.k8s.io/gateways": [],
  "gateway.networking.k8s.io/httproutes": ["admin", "provider"],
};

/** A provider updates what only providers report about. */
const mayUpdate = (role: Role, statusWriters: readonly Role[]): boolean =>
  role === "provider" ? String(statusWriters) === "provider" : role !== "viewer";

test("each kind says who writes its status", () => {
  const all = kinds
    .filter(({ statusSubresource }) => statusSubresource)
    .map((kind) => [`${kind.group}/${kind.plural}`, roles.filter((role) => mayWriteStatus(kind, role))]);
  expect(Object.fromEntries(all)).toEqual(writers);
  for (const kind of kinds.filter(({ statusSubresource }) => !statusSubresource)) {
    expect(roles.filter((role) => mayWriteStatus(kind, role))).toEqual([]);
  }
});

describe("a SelfSubjectAccessReview", () => {
  const decide = (role: Role, verb: string, resource: string, subresource: string, group = "*") =>
    accessDecision({ resourceAttributes: { verb, group, resource, subresource } }, kinds, role);

  test.each(Object.entries(writers))("names who writes the status of %s", (name, mayWrite) => {
    const [group = "", plural = ""] = name.split("/");
    for (const role of roles) {
      for (const verb of ["update", "patch", "*"]) {
        const { allowed } = decide(role, verb, plural, "status", group);
        expect([role, verb, allowed]).toEqual([role, verb, mayWrite.includes(role)]);
      }
      expect(decide(role, "get", plural, "status", group)).toEqual({ allowed: true });
      expect(decide(role, "update", plural, "", group).allowed).toBe(mayUpdate(role, mayWrite));
    }
  });

  test.each<[Role, string, string, string, string | undefined]>([
    ["admin", "update", "instances", "status", "only providers write it"],
    ["provider", "update", "workloads", "status", "only the server writes it"],
    ["provider", "update", "*", "status", "only the server writes it"],
    ["admin", "get", "*", "status", undefined],
    ["admin", "list", "instances", "status", "the verb is not known"],
    ["provider", "update", "secrets", "status", "the resource is not served here"],
    ["provider", "update", "instances", "scale", "the resource is not served here"],
    ["provider", "update", "pods", "status", "the resource is not served here"],
    ["admin", "create", "selfsubjectaccessreviews", "status", "the resource is not served here"],
    ["admin", "create", "selfsubjectaccessreviews", "", undefined],
    ["admin", "update", "*", "", undefined],
    ["viewer", "list", "configmaps", "", undefined],
    ["viewer", "watch", "exportpolicies", "", undefined],
    ["viewer", "create", "configmaps", "", "the role viewer does not permit it"],
    ["viewer", "*", "configmaps", "", "the role viewer does not permit it"],
    ["viewer", "get", "secrets", "", "the role viewer does not permit it"],
    ["viewer", "get", "*", "", "the role viewer does not permit it"],
    ["viewer", "update", "exportpolicies", "status", "the role viewer does not permit it"],
    ["viewer", "create", "selfsubjectaccessreviews", "", undefined],
    ["provider", "get", "secrets", "", undefined],
    ["provider", "create", "secrets", "", "the role provider does not permit it"],
    ["provider", "delete", "instances", "", "the role provider does not permit it"],
    ["provider", "patch", "workloads", "", "the role provider does not permit it"],
    ["provider", "patch", "exportpolicies", "status", undefined],
    ["provider", "create", "events", "", undefined],
    ["provider", "delete", "leases", "", undefined],
    ["editor", "get", "secrets", "", undefined],
    ["editor", "*", "*", "", undefined],
    ["editor", "patch", "exportpolicies", "status", "only admins and providers write it"],
    ["editor", "get", "exportpolicies", "status", undefined],
  ])("of a %s who wants to %s %s/%s", (role, verb, resource, subresource, reason) => {
    const expected = reason === undefined ? { allowed: true } : { allowed: false, reason };
    expect(decide(role, verb, resource, subresource)).toEqual(expected);
  });
});

test.each(roles)("a SelfSubjectRulesReview of a %s lists what the caller may do", (role) => {
  const review = reviews.find(({ kind }) => kind === "SelfSubjectRulesReview") as Review;
  const { status } = reviewResponse(review, {}, { user: "a", tokenId: "t", role }, kinds);
  const verbsOf = new Map<string, readonly string[]>();
  for (const rule of (status as JsonObject)["resourceRules"] as unknown as Rule[]) {
    for (const resource of rule.resources) verbsOf.set(`${rule.apiGroups[0]}/${resource}`, rule.verbs);
  }
  for (const [name, mayWrite] of Object.entries(writers)) {
    const writing = mayWrite.includes(role) ? ["patch", "update"] : [];
    expect([name, verbsOf.get(`${name}/status`)]).toEqual([name, ["get", ...writing]]);
    expect(verbsOf.get(name)?.includes("update")).toBe(mayUpdate(role, mayWrite));
  }
  expect(verbsOf.has("/secrets")).toBe(role !== "viewer");
});

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
