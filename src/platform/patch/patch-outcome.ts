import type { Json } from "../object.ts";

/** What a patch makes of an object. `unprocessable` is a patch that does not fit the object (422), `malformed` no patch. */
export type PatchOutcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly fault: "malformed" | "unprocessable"; readonly message: string };
