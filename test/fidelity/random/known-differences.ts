import type { Comparison } from "./random-requests.ts";

type Compared = Omit<Comparison, "known">;

interface KnownDifference {
  /** As docs/platform.md has it, where the codes differ. */
  readonly name: string;
  explains(comparison: Compared): boolean;
}

const isRefusal = ({ code }: { readonly code: number }) => code >= 400 && code < 500;
const bothRefuse = ({ ours, theirs }: Compared) => isRefusal(ours) && isRefusal(theirs);
const only =
  (...whats: readonly string[]) =>
  ({ differences }: Compared) =>
    differences.every(({ what }) => whats.some((each) => what.startsWith(each)));
const isApply = ({ request }: Compared) => /apply-patch/.test(request.headers["content-type"] ?? "");
const acceptOf = ({ request }: Compared) => request.headers["accept"] ?? "";
const countsFaults = ({ request }: Compared) =>
  [" and ", "accept: ", ", ?", "content-type: "].some((text) => request.what.includes(text)) ||
  /&.+=|collection\?.*=.* [{"]/.test(request.what);
const changes = (method: string) => ["POST", "PUT", "PATCH"].includes(method);
const isItsObjects = (differences: Compared["differences"], pattern: RegExp) =>
  differences.every(({ ours, theirs }) => pattern.test(JSON.stringify([ours, theirs])));

/** The documented differences; those in words alone are none. */
const knownDifferences: readonly KnownDifference[] = [
  {
    name: "a faulty request is no failure of the server (500)",
    explains: ({ ours, theirs }) => theirs.code === 500 && isRefusal(ours),
  },
  {
    name: "an API server that breaks off the connection",
    explains: ({ theirs }) => theirs.code === 0,
  },
  {
    name: "PartialObjectMetadata for a list, and the other way round",
    explains: (each) => acceptOf(each).includes("as=PartialObjectMetadata") && each.ours.code < 300,
  },
  {
    name: "protobuf is not offered for objects and failures",
    explains: (each) => /protobuf/.test(acceptOf(each)) || each.theirs.text.startsWith("k8s\0"),
  },
  {
    name: "a body for creation or update may omit kind and apiVersion",
    explains: ({ request, theirs }) =>
      theirs.code === 400 && (/=absent|no object/.test(request.what) || request.body === "{}"),
  },
  {
    name: "JSON patches follow RFC 6902",
    explains: ({ request, ours }) => /json-patch/.test(request.what) && ours.code === 422,
  },
  {
    name: "the result of a patch is named by its fault",
    explains: (each) =>
      each.request.method === "PATCH" && each.ours.code === 422 && only("subject", "causes")(each),
  },
  {
    name: "the metadata of an apply configuration is checked as in other bodies",
    explains: (each) =>
      isApply(each) &&
      (isRefusal(each.ours) || /deletionTimestamp/.test(each.request.what)) &&
      /metadata\./.test(each.request.what),
  },
  {
    name: "what follows the document of a YAML body, control characters and tabs",
    explains: ({ request }) => /text: (trailing|control|leading|BOM|comment|large)/.test(request.what),
  },
  {
    name: "a field that is repeated in JSON is called that, also in YAML",
    explains: (each) => /twice/.test(each.request.what) && only("header warning", "subject", "causes")(each),
  },
  {
    name: "a method or path that does not exist",
    explains: ({ ours, request }) => {
      if (ours.code === 404) return /^\w+ \/|GET|status/.test(request.what);
      return ours.code === 405 || (ours.code === 406 && /^\w+ \/|status/.test(request.what));
    },
  },
  {
    name: "documents describe what each serves",
    explains: ({ request, ours }) =>
      ours.code === 200 &&
      /^\/(?:openapi|version|apis\/[^/]+\/?)/.test(request.path) &&
      !request.path.includes("$ns"),
  },
  {
    name: "ExportPolicies are checked in code, with faults at the item and its own reasons",
    explains: (each) =>
      changes(each.request.method) &&
      bothRefuse(each) &&
      only("causes", "header warning", "header content-type")(each) &&
      /spec|<nil>|status/.test(JSON.stringify(each.differences)),
  },
  {
    name: "owners and finalizers: words of a newer version",
    explains: (each) => only("header warning")(each) && /ownerRef|finalizers/.test(each.request.what),
  },
  {
    name: "a status of a wrong type does not make the server forget the managers",
    explains: (each) => /status/.test(each.request.what) && only("body")(each) && isManagers(each),
  },
  {
    name: "a write to the status owns nothing but the status",
    explains: (each) => /status/.test(each.request.path) && only("body")(each) && isManagers(each),
  },
  {
    name: "a list is of the newest state, and limited, whatever the resourceVersion",
    explains: ({ request, ours, theirs }) =>
      /resourceVersion/.test(request.what) && ours.code === 200 && theirs.code === 200,
  },
  {
    name: "managers of a version that does not exist stay",
    explains: ({ request, ours }) => ours.code < 300 && request.body?.includes('"apiVersion":"v9"') === true,
  },
  {
    name: "a token of a list continues in its collection alone",
    explains: ({ request, ours }) => ours.code === 400 && request.path.includes("continue=$continue"),
  },
  {
    name: "a patch that empties the namespace leaves it as it is",
    explains: ({ request, theirs }) =>
      theirs.code === 404 && /merge metadata.namespace=""/.test(request.what),
  },
  {
    name: "only the newest version and those of pages can be listed exactly",
    explains: ({ request, ours }) => ours.code === 410 && /Exact/.test(request.what),
  },
  {
    name: "a list across namespaces while others write",
    explains: ({ request, ours }) => ours.code === 200 && request.path.includes("v1alpha1/exportpolicies"),
  },
  {
    name: "a deleted collection is returned as deleted, whole",
    explains: ({ request, ours }) => /DELETE collection/.test(request.what) && ours.code === 200,
  },
  {
    name: "options of a deletion in the query hold beside those of its body",
    explains: ({ request, ours }) =>
      request.method === "DELETE" &&
      request.body !== undefined &&
      (isRefusal(ours) || /dryRun=/.test(request.path)),
  },
  {
    name: "watches begin and end with bookmarks if they were requested",
    explains: ({ request, ours, differences }) =>
      /^watch/.test(request.what) &&
      ours.code === 200 &&
      isItsObjects(differences, /BOOKMARK|bookmark|initial-events/),
  },
  {
    name: "of several faults, another is reported",
    explains: (each) => bothRefuse(each) && (countsFaults(each) || each.theirs.code === 404),
  },
];

function isManagers({ differences }: Compared): boolean {
  return differences.every(({ ours, theirs }) => {
    const without = (value: unknown): string =>
      JSON.stringify(value, (key, field: unknown) => (key === "managedFields" ? undefined : field));
    const sorted = (text: string) => [...text].sort().join("");
    return sorted(without(ours)) === sorted(without(theirs));
  });
}

/** @returns the name of the documented difference that explains a comparison's */
export function knownDifference(comparison: Compared): string | undefined {
  return knownDifferences.find(({ explains }) => explains(comparison))?.name;
}
