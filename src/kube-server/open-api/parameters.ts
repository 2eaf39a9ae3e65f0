/** A request parameter outside the body. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: "string" | "integer" | "boolean";
  readonly description: string;
}

function query(name: string, type: Parameter["type"], description: string): Parameter {
  return { name, in: "query", type, description };
}

const resourceVersion = query(
  "resourceVersion",
  "string",
  "resourceVersion sets a constraint on what versions of objects a request may be served from. " +
    "Defaults to unset.",
);

/** For lists and collection deletions. */
export const listParameters: readonly Parameter[] = [
  query(
    "allowWatchBookmarks",
    "boolean",
    'allowWatchBookmarks requests watch events of type "BOOKMARK". Ignored if this is not a watch.',
  ),
  query(
    "continue",
    "string",
    "continue is the value of metadata.continue of the previous part of a list; the query is " +
      "otherwise the same.",
  ),
  query("fieldSelector", "string", "A selector of objects by their fields. Defaults to everything."),
  query("labelSelector", "string", "A selector of objects by their labels. Defaults to everything."),
  query(
    "limit",
    "integer",
    "limit is the maximum number of objects in the response. If there are more, metadata.continue is " +
      "set, and all parts show the same version.",
  ),
  resourceVersion,
  query(
    "resourceVersionMatch",
    "string",
    "resourceVersionMatch determines how resourceVersion is applied to lists: Exact or NotOlderThan. " +
      "Defaults to unset.",
  ),
  query(
    "sendInitialEvents",
    "boolean",
    "sendInitialEvents=true begins a watch with an event for each object that exists. Requires " +
      "resourceVersionMatch.",
  ),
  query("timeoutSeconds", "integer", "Timeout of the list or watch, in seconds."),
  query(
    "watch",
    "boolean",
    "Watch for changes of the described resources, as a stream of add, update and remove events.",
  ),
];

export const readParameters: readonly Parameter[] = [resourceVersion];

export const logParameters: readonly Parameter[] = [
  query("container", "string", "The container whose log is read. Defaults to the only one."),
  query("follow", "boolean", "Go on with what is written. Defaults to false."),
  query("limitBytes", "integer", "The most bytes to read."),
  query("previous", "boolean", "Only false: a container that is started again goes on with its log."),
  query("sinceSeconds", "integer", "Only lines that are at most so old."),
  query("sinceTime", "string", "Only lines from this time on (RFC 3339)."),
  query("tailLines", "integer", "Only so many lines of the end."),
  query("timestamps", "boolean", "The time of each line before it. Defaults to false."),
];

const dryRun = query(
  "dryRun",
  "string",
  'When present, nothing is persisted. The only valid value is "All".',
);

/** For all operations that write an object. */
export const writeParameters: readonly Parameter[] = [
  dryRun,
  query(
    "fieldManager",
    "string",
    "fieldManager is the name of the actor that makes the change: at most 128 printable characters. " +
      "Required for apply patches.",
  ),
  query(
    "fieldValidation",
    "string",
    "fieldValidation says what happens to unknown and duplicate fields: Ignore drops them, Warn drops " +
      "them with a warning, Strict refuses the request. Defaults to Warn.",
  ),
];

export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  query(
    "force",
    "boolean",
    "force acquires fields that other managers own. Must be unset for patches other than apply patches.",
  ),
];

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  query(
    "gracePeriodSeconds",
    "integer",
    "The duration in seconds before the object should be deleted. Zero means at once.",
  ),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy. Only one of the two may be set."),
  query(
    "propagationPolicy",
    "string",
    "Whether and how dependents are deleted: 'Orphan', 'Background' or 'Foreground'.",
  ),
];

export const prettyParameter = query(
  "pretty",
  "string",
  "If 'true', then the output is pretty printed. Defaults to 'false' unless the user agent is a " +
    "browser or command-line HTTP tool (curl and wget).",
);

export const namespaceParameter: Parameter = {
  name: "namespace",
  in: "path",
  type: "string",
  description: "object name and auth scope, such as for teams and projects",
};

export function nameParameter(kind: string): Parameter {
  return { name: "name", in: "path", type: "string", description: `name of the ${kind}` };
}
