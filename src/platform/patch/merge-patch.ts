import { cloneJson, isJsonObject, type Json } from "../object.ts";

/** RFC 7396: objects are merged, null removes, anything else replaces. Neither argument is changed. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return cloneJson(patch);
  const result = isJsonObject(target) ? cloneJson(target) : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else setOwn(result, name, applyMergePatch(result[name], value));
  }
  return result;
}

/** Assigns also where the name is `__proto__`, which a plain assignment would take for something else. */
function setOwn(target: { [name: string]: Json }, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
