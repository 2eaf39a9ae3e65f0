import { NameResolver } from "../../src/base/http/names/name-resolver.ts";
import type { Lookup } from "../../src/base/net/guarded-lookup.ts";

/** As the daemon resolves names. */
export function systemLookup(): Lookup {
  const names = new NameResolver();
  return (name, tenant) => names.lookup(name, tenant);
}
