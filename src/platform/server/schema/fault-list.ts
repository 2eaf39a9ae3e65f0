import type { FieldError } from "../status.ts";

/** More than these are of no use to a person, and a response that names them all is many times the request. */
export const maxFaults = 100;

/** The faults of one object, up to the number that a Status carries: whoever finds them stops when it is full. */
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

/** The path of a field of `path`. A long name is cut: below it there may be thousands of faults, each with this path. */
export function fieldPath(path: string, name: string): string {
  const shown = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name;
  return path === "" ? shown : `${path}.${shown}`;
}
