import type { Json } from "../object.ts";

/**
 * What a patch makes of an object. `malformed` is not a patch (400), `unprocessable` does not fit the object (422),
 * `too-large` costs more than one request may (413).
 */
export type PatchOutcome =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly fault: "malformed" | "unprocessable" | "too-large";
      readonly message: string;
    };
