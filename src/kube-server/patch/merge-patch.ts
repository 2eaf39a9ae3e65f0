import { isJsonObject, type Json, type JsonObject, setField } from "../api/object.ts";

/**
 * RFC 7396: objects are merged, null removes, anything else replaces. Neither argument is modified; the
 * result shares structure with both.
 */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else
      setField(result, name, applyMergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}
