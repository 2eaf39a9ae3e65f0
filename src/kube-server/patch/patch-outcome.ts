import type { Json } from "../api/object.ts";

/**
 * Result of a patch. `malformed`: not a patch (400). `unprocessable`: does not fit the object (422).
 * `too-large`: exceeds the cost limit of a request (413).
 */
export type PatchOutcome =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly fault: "malformed" | "unprocessable" | "too-large";
      readonly message: string;
    };
