import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** Checks the name of a port (RFC 6335, section 5.1, in lower case). */
export function checkPortName(name: Json | undefined, path: string, faults: FaultList): void {
  if (typeof name !== "string" || name === "") {
    faults.add(requiredValue(path));
    return;
  }
  for (const why of portNameFaults(name)) faults.add(invalidValue(path, name, why));
}

function portNameFaults(name: string): string[] {
  if (name.length > 15) return ["must be no more than 15 characters"];
  const faults: string[] = [];
  if (!/^[-a-z0-9]+$/.test(name)) {
    faults.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) faults.push("must contain at least one letter (a-z)");
  if (name.includes("--")) faults.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) faults.push("must not begin or end with a hyphen");
  return faults;
}

export function checkPortNumber(port: Json | undefined, path: string, faults: FaultList): void {
  if (typeof port === "number" && port >= 1 && port <= 65_535) return;
  faults.add(invalidValue(path, port ?? null, "must be between 1 and 65535, inclusive"));
}
