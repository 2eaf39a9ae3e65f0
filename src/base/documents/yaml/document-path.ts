/** A place in a document: member names and list indices from its root. */
export type DocumentPath = readonly (string | number)[];

/** Prints a path as Kubernetes does: `spec.sinks[0].name`, `metadata.annotations[example.com/paused]`. */
export function printPath(path: DocumentPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number" || !/^[\w-]+$/.test(step)) text += `[${step}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** The value at a path of a plain tree, or undefined. */
export function valueAt(root: unknown, path: DocumentPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
