import jsonPatch from "fast-json-patch";
import { cloneJson, isJsonObject, type Json } from "../object.ts";
import type { PatchOutcome } from "./patch-outcome.ts";

const operations = new Set(["add", "remove", "replace", "move", "copy", "test"]);

/** More operations than this are refused, as Kubernetes does. */
const maxOperations = 10_000;

/** RFC 6902. Neither argument is changed. */
export function applyJsonPatch(target: Json, patch: Json): PatchOutcome {
  if (!Array.isArray(patch)) return malformed("a JSON patch is a list of operations");
  if (patch.length > maxOperations) {
    return malformed(
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  for (const operation of patch) {
    if (!isJsonObject(operation) || !operations.has(String(operation["op"]))) {
      return malformed("an operation of a JSON patch needs an op and a path");
    }
    if (typeof operation["path"] !== "string") return malformed("an operation of a JSON patch needs a path");
  }
  try {
    const steps = cloneJson(patch) as unknown as jsonPatch.Operation[];
    // The library refuses __proto__ by itself (its fourth argument is what forbids it).
    const { newDocument } = jsonPatch.applyPatch(cloneJson(target) as object, steps, true, true, true);
    return { ok: true, value: newDocument as Json };
  } catch (error) {
    const message =
      error instanceof Error ? (error.message.split("\n")[0] ?? "") : "the patch cannot be applied";
    return { ok: false, fault: "unprocessable", message };
  }
}

function malformed(message: string): PatchOutcome {
  return { ok: false, fault: "malformed", message };
}
