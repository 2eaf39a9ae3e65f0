import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { type Schema, textField } from "../../../kube-server/api/schema.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import { dnsNamePattern } from "./route-schema.ts";

/** Before a hostname, the name of its TXT record: both make a DNS name still (253 characters). */
export const challengeLabel = "_telemetryd-challenge";
const maxLength = 253 - challengeLabel.length - 1;

/** A hostname, or a wildcard: `*.` stands for one label or more. */
export const hostnameSchema = (description: string): Schema => ({
  ...textField(description),
  minLength: 1,
  maxLength,
  pattern: dnsNamePattern.replace("^", "^(\\*\\.)?"),
});

/** Checks what the schema leaves: addresses, and labels that DNS does not have. */
export function checkHostname(value: Json | undefined, path: string, faults: FaultList): void {
  if (typeof value !== "string") return;
  // A name whose last label is a number is read as an IPv4 address (WHATWG URL, section 3.5).
  if (/(^|\.)(\d+|0x[0-9a-f]*)$/.test(value)) {
    faults.add(invalidValue(path, value, "must be a DNS name, not an address"));
  } else if (value.split(".").some((label) => label.length > 63)) {
    faults.add(invalidValue(path, value, "must have labels of at most 63 characters"));
  } else if (!value.replace("*.", "").includes(".")) {
    faults.add(invalidValue(path, value, "must be a whole DNS name, such as www.example.com"));
  }
}

/** Whether a hostname or wildcard has all requests of another one. */
export function coversHostname(pattern: string, hostname: string): boolean {
  if (pattern === hostname) return true;
  return pattern.startsWith("*.") && hostname.replace("*.", "").endsWith(pattern.slice(1));
}

/** What two hostnames or wildcards have in common; undefined: nothing. */
export function commonHostname(a: string, b: string): string | undefined {
  if (coversHostname(a, b)) return b;
  return coversHostname(b, a) ? a : undefined;
}
