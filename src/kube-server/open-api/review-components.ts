import { wholeObjectSchema } from "../api/object-meta.ts";
import type { Review } from "../api/reviews.ts";
import { atomicList, referTo, type Schema, type SchemaComponent, textField } from "../api/schema.ts";

/** Schemas of reviews: the request fields that the server reads, and its decisions. */

const text: Schema = { type: "string" };
const flag = (description: string): Schema => ({ type: "boolean", description });

function componentOf(
  group: "authorization" | "authentication",
  name: string,
  description: string,
  properties: NonNullable<Schema["properties"]>,
  required: readonly string[] = [],
): SchemaComponent {
  const isRequired = required.length === 0 ? {} : { required };
  return {
    name: `io.k8s.api.${group}.v1.${name}`,
    schema: { type: "object", description, properties, ...isRequired },
  };
}

const resourceAttributes = componentOf(
  "authorization",
  "ResourceAttributes",
  "ResourceAttributes includes the authorization attributes available for resource requests.",
  {
    group: textField('Group is the API group of the resource. "*" means all.'),
    name: textField('Name is the name of the resource being requested. "" means all.'),
    namespace: textField('Namespace is the namespace of the action. "" means all, or none.'),
    resource: textField('Resource is one of the existing resource types. "*" means all.'),
    subresource: textField('Subresource is one of the existing subresources. "" means none.'),
    verb: textField("Verb is get, list, watch, create, update, patch, delete or deletecollection, or *."),
    version: textField('Version is the API version of the resource. "*" means all.'),
  },
);

const nonResourceAttributes = componentOf(
  "authorization",
  "NonResourceAttributes",
  "NonResourceAttributes includes the authorization attributes available for other requests.",
  {
    path: textField("Path is the URL path of the request."),
    verb: textField("Verb is the HTTP verb, in lower case."),
  },
);

const accessSpec = componentOf(
  "authorization",
  "SelfSubjectAccessReviewSpec",
  "SelfSubjectAccessReviewSpec is the action. Exactly one of the attributes must be set.",
  {
    resourceAttributes: referTo(resourceAttributes, "The action, if it is about a resource."),
    nonResourceAttributes: referTo(nonResourceAttributes, "The action, if it is about a path."),
  },
);

const accessStatus = componentOf(
  "authorization",
  "SubjectAccessReviewStatus",
  "SubjectAccessReviewStatus is the decision.",
  {
    allowed: flag("Allowed is true if the action would be allowed, false otherwise."),
    reason: textField("Reason says why a request was not allowed. Optional."),
  },
  ["allowed"],
);

const resourceRule = componentOf(
  "authorization",
  "ResourceRule",
  "ResourceRule is a list of actions on resources that the subject may perform.",
  {
    verbs: atomicList(text, "Verbs that are allowed."),
    apiGroups: atomicList(text, "API groups of the resources."),
    resources: atomicList(text, "Resources, such as exportpolicies and exportpolicies/status."),
  },
  ["verbs"],
);

const nonResourceRule = componentOf(
  "authorization",
  "NonResourceRule",
  "NonResourceRule is a list of paths that the subject may request.",
  {
    verbs: atomicList(text, "HTTP verbs that are allowed, in lower case."),
    nonResourceURLs: atomicList(text, 'URL paths; one that ends with "*" stands for all below it.'),
  },
  ["verbs"],
);

const rulesSpec = componentOf(
  "authorization",
  "SelfSubjectRulesReviewSpec",
  "SelfSubjectRulesReviewSpec names the namespace that is asked about.",
  { namespace: textField("Namespace to evaluate rules for. Rules are the same in each.") },
);

const rulesStatus = componentOf(
  "authorization",
  "SubjectRulesReviewStatus",
  "SubjectRulesReviewStatus is what the subject may do.",
  {
    resourceRules: atomicList(referTo(resourceRule), "Actions on resources."),
    nonResourceRules: atomicList(referTo(nonResourceRule), "Paths."),
    incomplete: flag("Incomplete is true if the rules are not the whole truth; never here."),
  },
  ["resourceRules", "nonResourceRules", "incomplete"],
);

const userInfo = componentOf("authentication", "UserInfo", "UserInfo holds the information about the user.", {
  username: textField("The name that identifies this user among all active users."),
  groups: atomicList(text, "The names of groups that this user is a part of."),
});

const selfStatus = componentOf(
  "authentication",
  "SelfSubjectReviewStatus",
  "SelfSubjectReviewStatus is filled by the server and sent back to the user.",
  { userInfo: referTo(userInfo, "User attributes of the user that makes this request.") },
);

const reviewSchemas: Readonly<Record<Review["kind"], Schema>> = {
  SelfSubjectAccessReview: {
    description: "SelfSubjectAccessReview checks whether the current user can perform an action.",
    required: ["spec"],
    properties: {
      spec: referTo(accessSpec, "Spec holds the action that is asked about."),
      status: referTo(accessStatus, "Status is filled in by the server: whether the action is allowed."),
    },
  },
  SelfSubjectRulesReview: {
    description: "SelfSubjectRulesReview lists the actions that the current user can perform.",
    required: ["spec"],
    properties: {
      spec: referTo(rulesSpec, "Spec holds the namespace that is asked about."),
      status: referTo(rulesStatus, "Status is filled in by the server: the actions."),
    },
  },
  SelfSubjectReview: {
    description: "SelfSubjectReview holds what the server knows about the user that makes the request.",
    properties: { status: referTo(selfStatus, "Status is filled in by the server: the user's attributes.") },
  },
};

export function reviewComponent({ group, version, kind }: Review): SchemaComponent {
  return {
    name: `io.k8s.api.${group.replace(/\.k8s\.io$/, "")}.${version}.${kind}`,
    schema: wholeObjectSchema(reviewSchemas[kind]),
    groupVersionKinds: [{ group, version, kind }],
  };
}
