import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** Of a key's line; the longest keys in use, RSA with 16,384 bits, take less than 3 KiB. */
const maxKeyLength = 16 * 1024;

/**
 * Checks lines of `<user>:<SSH public key> <comment>`.
 *
 * @param text of the annotation; undefined if there is none
 */
export function checkSshKeys(text: string | undefined, path: string, faults: FaultList): void {
  const trimmed = (text ?? "").trim();
  if (trimmed === "") {
    faults.add(requiredValue(path));
    return;
  }
  for (const [index, line] of trimmed.split("\n").entries()) {
    if (faults.isFull) return;
    const user = line.indexOf(":");
    const place = `${path}[${index}]`;
    if (user < 0) faults.add(invalidValue(place, line, "must be in the format 'username:key'"));
    else if (line.slice(0, user).trim() === "") faults.add(requiredValue(place, "must provide a username"));
    else if (!isPublicKey(line.slice(user + 1))) {
      faults.add(invalidValue(place, line, "must be a valid SSH public key"));
    }
  }
}

/** Whether a text is a type, base64 that begins with the type (RFC 4253, section 6.6), maybe a comment. */
function isPublicKey(text: string): boolean {
  if (text.length > maxKeyLength) return false;
  const [, type = "", key = ""] =
    /^\s*([A-Za-z0-9@.+-]{1,64})[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t].*)?\s*$/.exec(text) ?? [];
  if (key === "" || key.length % 4 !== 0) return false;
  const bytes = Buffer.from(key, "base64");
  const hasMore = bytes.length > 4 + type.length;
  return (
    hasMore && bytes.readUInt32BE(0) === type.length && bytes.toString("latin1", 4, 4 + type.length) === type
  );
}
