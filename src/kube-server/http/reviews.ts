import type { Caller } from "../access/directory.ts";
import { type KindDefinition, verbsOf } from "../api/kind.ts";
import { childObject, type Json, type JsonObject } from "../api/object.ts";
import { type Review, reviews } from "../api/reviews.ts";
import { mayWriteStatus, permits, type Role, statusWritersOf } from "../api/roles.ts";

/** The review behind a path: `/apis/<group>/<version>/<plural>`. */
export function reviewOfPath(path: string): Review | undefined {
  return reviews.find(({ group, version, plural }) => path === `/apis/${group}/${version}/${plural}`);
}

/**
 * Serves a review about the caller, by the caller's role.
 */
export function reviewResponse(
  review: Review,
  body: JsonObject,
  caller: Caller & { readonly role: Role },
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
      return { ...head, spec, status: rules(kinds, caller.role) };
    case "SelfSubjectAccessReview":
      return { ...head, spec, status: accessDecision(spec, kinds, caller.role) };
  }
}

const statusVerbs = { read: ["get"], write: ["patch", "update"] };

/** Decides a SelfSubjectAccessReview for a member with a role. */
export function accessDecision(spec: JsonObject, kinds: readonly KindDefinition[], role: Role): JsonObject {
  const path = childObject(spec, "nonResourceAttributes");
  if (path !== undefined) return { allowed: String(path["verb"]) === "get" };
  const attributes = childObject(spec, "resourceAttributes") ?? {};
  const text = (name: string) => String(attributes[name] ?? "");
  const isMeant = ({ group, plural }: { readonly group: string; readonly plural: string }) =>
    plural === text("resource") && (text("group") === "*" || group === text("group"));
  const isEvery = text("resource") === "*";
  if (text("subresource") === "log") {
    const isRead = kinds.some((kind) => kind.logs !== undefined && (isEvery || isMeant(kind)));
    if (!isRead) return { allowed: false, reason: notServed };
    return text("verb") === "get"
      ? { allowed: true }
      : { allowed: false, reason: "the log can only be read" };
  }
  if (text("subresource") !== "") {
    const meant = kinds.filter((kind) => kind.statusSubresource && (isEvery || isMeant(kind)));
    return statusDecision(text("subresource") === "status" ? meant : [], text("verb"), role);
  }
  const isReview = reviews.some(isMeant);
  const meant = kinds.filter((kind) => isEvery || isMeant(kind));
  const allowed = isReview ? ["create"] : (meant.length === 0 ? [{}] : meant).flatMap(verbsOf);
  const isVerb = text("verb") === "*" || allowed.includes(text("verb"));
  const isServed = isEvery || isReview || kinds.some(isMeant);
  const isRefused = meant.some((kind) =>
    (text("verb") === "*" ? verbsOf(kind) : [text("verb")]).some((verb) => !permits(role, kind, verb)),
  );
  if (isVerb && isServed && isRefused) return { allowed: false, reason: notPermitted(role) };
  if (isVerb && isServed) return { allowed: true };
  if (isVerb) return { allowed: false, reason: notServed };
  if (isReview) return { allowed: false, reason: "a review can only be created" };
  const isKnown = verbsOf({}).includes(text("verb"));
  return { allowed: false, reason: isKnown ? "the kind can only be read" : "the verb is not known" };
}

const notServed = "the resource is not served here";
const notPermitted = (role: Role): string => `the role ${role} does not permit it`;

/** @param meant kinds whose statuses a request is for; all of them must permit it */
function statusDecision(meant: readonly KindDefinition[], verb: string, role: Role): JsonObject {
  if (meant.length === 0) return { allowed: false, reason: notServed };
  if (statusVerbs.read.includes(verb)) return { allowed: true };
  if (role === "viewer") return { allowed: false, reason: notPermitted(role) };
  if (verb !== "*" && !statusVerbs.write.includes(verb)) {
    return { allowed: false, reason: "the verb is not known" };
  }
  const refusing = meant.filter((kind) => !mayWriteStatus(kind, role));
  if (refusing.length === 0) return { allowed: true };
  const reasons = new Set(refusing.map(statusWritersOf));
  const [reason = ""] = reasons.size > 1 ? [statusWritersOf({})] : reasons;
  return { allowed: false, reason };
}

function rules(kinds: readonly KindDefinition[], role: Role): JsonObject {
  const resourceRules = kinds.flatMap((kind): Json[] => {
    const { group, plural, statusSubresource } = kind;
    const verbs = verbsOf(kind).filter((verb) => permits(role, kind, verb));
    if (verbs.length === 0) return [];
    const own = { verbs, apiGroups: [group], resources: [plural] };
    const log = { verbs: ["get"], apiGroups: [group], resources: [`${plural}/log`] };
    const read = kind.logs === undefined ? [own] : [own, log];
    if (!statusSubresource) return read;
    const all = [...statusVerbs.read, ...statusVerbs.write];
    const ofStatus = all.filter((verb) => permits(role, kind, verb, "status"));
    return [...read, { verbs: ofStatus, apiGroups: [group], resources: [`${plural}/status`] }];
  });
  for (const { group, plural } of reviews) {
    resourceRules.push({ verbs: ["create"], apiGroups: [group], resources: [plural] });
  }
  const nonResourceURLs = ["/api", "/api/*", "/apis", "/apis/*", "/openapi/*", "/version"];
  return { resourceRules, nonResourceRules: [{ verbs: ["get"], nonResourceURLs }], incomplete: false };
}
