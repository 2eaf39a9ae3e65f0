import type { Caller } from "../access/directory.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { childObject, type Json, type JsonObject } from "../object.ts";
import { type Review, reviews } from "../reviews.ts";

/** The review behind a path: `/apis/<group>/<version>/<plural>`. */
export function reviewOfPath(path: string): Review | undefined {
  return reviews.find(({ group, version, plural }) => path === `/apis/${group}/${version}/${plural}`);
}

/** Serves a review about the caller. A member of the organization may do everything that a plane offers. */
export function reviewResponse(
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

/** Decides a SelfSubjectAccessReview for a member. */
export function accessDecision(spec: JsonObject, kinds: readonly KindDefinition[]): JsonObject {
  const path = childObject(spec, "nonResourceAttributes");
  if (path !== undefined) return { allowed: String(path["verb"]) === "get" };
  const attributes = childObject(spec, "resourceAttributes") ?? {};
  const text = (name: string) => String(attributes[name] ?? "");
  const isMeant = ({ group, plural }: { readonly group: string; readonly plural: string }) =>
    plural === text("resource") && (text("group") === "*" || group === text("group"));
  const isReview = reviews.some(isMeant);
  const allowed = isReview ? ["create"] : verbs;
  const isVerb = text("verb") === "*" || allowed.includes(text("verb"));
  const isServed = text("resource") === "*" || isReview || kinds.some(isMeant);
  if (isVerb && isServed) return { allowed: true };
  if (isVerb) return { allowed: false, reason: "the resource is not served here" };
  return { allowed: false, reason: isReview ? "a review can only be created" : "the verb is not known" };
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
