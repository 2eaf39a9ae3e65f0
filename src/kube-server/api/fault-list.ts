import type { FieldError } from "./status.ts";

/** More faults help nobody, and listing them all would make a response many times the size of the request. */
export const maxFaults = 100;

/** The faults of one object, up to the maximum of a Status: validation stops when the list is full. */
export class FaultList {
  readonly errors: FieldError[] = [];

  get isFull(): boolean {
    return this.errors.length >= maxFaults;
  }

  add(error: FieldError): void {
    if (!this.isFull) this.errors.push(error);
  }
}

const maxNameLength = 256;

/** Path of a field below `path`. Long names are truncated: thousands of faults may repeat the path. */
export function fieldPath(path: string, name: string): string {
  const shown = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
  return path === "" ? shown : `${path}.${shown}`;
}
