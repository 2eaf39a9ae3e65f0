/** Reviews behind `kubectl auth can-i` and `kubectl auth whoami`; evaluated at once, nothing is stored. */
export const reviews = [
  {
    group: "authorization.k8s.io",
    version: "v1",
    plural: "selfsubjectaccessreviews",
    kind: "SelfSubjectAccessReview",
  },
  {
    group: "authorization.k8s.io",
    version: "v1",
    plural: "selfsubjectrulesreviews",
    kind: "SelfSubjectRulesReview",
  },
  { group: "authentication.k8s.io", version: "v1", plural: "selfsubjectreviews", kind: "SelfSubjectReview" },
] as const;

export type Review = (typeof reviews)[number];
