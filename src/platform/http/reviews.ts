import type { Caller } from "../access/directory.ts";
import { reviews } from "../discovery.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { childObject, type Json, type JsonObject } from "../object.ts";

export type Review = (typeof reviews)[number];

/** The review that a path means: `/apis/<group>/<version>/<plural>`. */
export function reviewOfPath(path: string): Review | undefined {
  return reviews.find(({ group, version, plural }) => path === `/apis/${group}/${version}/${plural}`);
}

/** Answers a review about the caller itself. A member of the organization may do everything that a plane offers. */
export function answerReview(
  review: Review,
  body: JsonObject,
  caller: Caller,
  kinds: readonly KindDefinition[],
): JsonObject {
  const spec = childObject(body, "spec") ?? {};
  const head = {
    kind: review.kind,
    apiVersion: `${review.group}/${review.version}`,
    metadata: { creationTimestamp: null },
  };
  switch (review.kind) {
    case "SelfSubjectReview":
      return { ...head, status: { userInfo: { username: caller.user, groups: ["system:authenticated"] } } };
    case "SelfSubjectRulesReview":
      return { ...head, spec, status: rules(kinds) };
    case "SelfSubjectAccessReview":
      return { ...head, spec, status: accessDecision(spec, kinds) };
  }
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Whether a member may do what a SelfSubjectAccessReview asks about. */
export function accessDecision(spec: JsonObject, kinds: readonly KindDefinition[]): JsonObject {
  const path = childObject(spec, "nonResourceAttributes");
  if (path !== undefined) return { allowed: String(path["verb"]) === "get" };
  const attributes = childObject(spec, "resourceAttributes") ?? {};
  const text = (name: string) => String(attributes[name] ?? "");
  const isVerb = text("verb") === "*" || verbs.includes(text("verb"));
  const isServed =
    text("resource") === "*" ||
    kinds.some(({ group, plural }) => {
      return plural === text("resource") && (text("group") === "*" || group === text("group"));
    }) ||
    reviews.some(({ group, plural }) => plural === text("resource") && group === text("group"));
  if (isVerb && isServed) return { allowed: true };
  return { allowed: false, reason: isVerb ? "the resource is not served here" : "the verb is not known" };
}

function rules(kinds: readonly KindDefinition[]): JsonObject {
  const resourceRules: Json[] = kinds.map(({ group, plural, statusSubresource }) => ({
    verbs,
    apiGroups: [group],
    resources: statusSubresource ? [plural, `${plural}/status`] : [plural],
  }));
  for (const { group, plural } of reviews) {
    resourceRules.push({ verbs: ["create"], apiGroups: [group], resources: [plural] });
  }
  const nonResourceURLs = ["/api", "/api/*", "/apis", "/apis/*", "/openapi/*", "/version"];
  return { resourceRules, nonResourceRules: [{ verbs: ["get"], nonResourceURLs }], incomplete: false };
}
