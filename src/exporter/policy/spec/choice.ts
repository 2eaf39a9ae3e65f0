import { suggestion } from "../../../base/documents/closest.ts";
import { oneOf } from "../../../base/documents/schema-issue.ts";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { authenticationKinds } from "./authentication.ts";
import { type DocumentFault, errorAt, errorAtName } from "./document-fault.ts";

/**
 * Places that require exactly one of several kinds: an unknown kind is a wrong choice, not an unknown field.
 */
export const choices: Readonly<Record<string, readonly string[]>> = {
  metrics: ["metricsql"],
  target: ["prometheusRemoteWrite"],
  authentication: authenticationKinds,
};

/**
 * A fault for each unknown kind in a source or sink, for a second one, and where one of several is missing.
 * Unlike an unknown field, an unknown kind cannot be ignored: the item would not do what it says.
 */
export function choiceFaults(
  raw: unknown,
  path: DocumentPath,
  places: readonly DocumentPath[],
): DocumentFault[] {
  return places.flatMap((place) => {
    const value = valueAt(raw, place);
    if (!isObject(value)) return [];
    const kinds = choices[String(place.at(-1))] ?? [];
    const at = [...path, ...place];
    const given = Object.keys(value);
    const [first, ...others] = given.filter((key) => kinds.includes(key));
    const faults = given
      .filter((key) => !kinds.includes(key))
      .map((key) => {
        const hint = suggestion(key, kinds);
        const message = `is not a kind of ${place.at(-1)} that is supported; it must be ${oneOf(kinds)}${hint}`;
        return errorAtName([...at, key], "FieldValueNotSupported", message);
      });
    for (const key of others) {
      faults.push(
        errorAtName([...at, key], "FieldValueForbidden", `cannot be given together with ${first}; keep one`),
      );
    }
    // The schema requires a kind that is the only one.
    if (given.length === 0 && kinds.length > 1) {
      faults.push(errorAt(at, "FieldValueRequired", `must have one of ${oneOf(kinds)}`));
    }
    return faults;
  });
}

/** Drops the faults that only repeat that the known kind is missing where an unknown one was chosen. */
export function withoutMissingChoices(faults: readonly DocumentFault[]): DocumentFault[] {
  const wrong = new Set(
    faults.flatMap((fault) => (fault.reason === "FieldValueNotSupported" ? [parentOf(fault)] : [])),
  );
  return faults.filter((fault) => fault.reason !== "FieldValueRequired" || !wrong.has(parentOf(fault)));
}

function parentOf(fault: DocumentFault): string {
  return JSON.stringify(fault.path.slice(0, -1));
}
