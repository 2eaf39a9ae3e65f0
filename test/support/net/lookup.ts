import { NameResolver } from "../../../src/base/http/names/name-resolver.ts";
import type { Lookup } from "../../../src/base/net/guarded-lookup.ts";

/** Resolves names as the daemon does. */
export function systemLookup(): Lookup {
  const names = new NameResolver();
  return (name, tenant) => names.lookup(name, tenant);
}
