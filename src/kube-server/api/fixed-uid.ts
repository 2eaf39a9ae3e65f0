import { createHash } from "node:crypto";

/** The uid of an object that is part of the program, the same at each start. @param text what it is made from */
export function fixedUid(text: string): string {
  const digest = createHash("sha256").update(text).digest("hex");
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
