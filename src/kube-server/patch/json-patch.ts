import { cloneJson, isJsonObject, type Json, sameJson } from "../api/object.ts";
import { childAt, containerOf, listIndex, parsePointer } from "./json-pointer.ts";
import { PatchBudget, PatchTooLarge } from "./patch-budget.ts";
import type { PatchOutcome } from "./patch-outcome.ts";

/** Same limit as the Kubernetes API server. */
const maxOperations = 10_000;
/** Longest path quoted in a message; longer ones are truncated. */
const maxShownPath = 256;

const operations = ["add", "remove", "replace", "move", "copy", "test"] as const;

interface Operation {
  readonly op: (typeof operations)[number];
  readonly path: string;
  readonly steps: readonly string[];
  /** Only in move and copy; parsed like `path`. */
  readonly from: string;
  readonly fromSteps: readonly string[];
  /** Only in add, replace and test. */
  readonly value: Json;
}

/** An operation that does not fit the object; converted to an outcome at the boundary of this file. */
class Unprocessable extends Error {}

/**
 * Applies a JSON patch (RFC 6902) with the limits of the Kubernetes API server: 10,000 operations, and 3 MiB
 * of copies. Neither argument is modified. Runs in time proportional to the object and the patch.
 */
export function applyJsonPatch(target: Json, patch: Json): PatchOutcome {
  if (patch === null) return { ok: true, value: target };
  if (!Array.isArray(patch) || patch.some((operation) => operation !== null && !isJsonObject(operation))) {
    return {
      ok: false,
      fault: "malformed",
      message: "a JSON patch is a list of operations, which are objects",
    };
  }
  if (patch.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`;
    return { ok: false, fault: "too-large", message: `Request entity too large: ${message}` };
  }
  try {
    const work = new PatchWork(cloneJson(target));
    for (const [index, operation] of patch.entries()) work.run(readOperation(operation, index));
    return { ok: true, value: work.root };
  } catch (error) {
    if (error instanceof Unprocessable) return { ok: false, fault: "unprocessable", message: error.message };
    if (!(error instanceof PatchTooLarge)) throw error;
    return { ok: false, fault: "too-large", message: `Request entity too large: ${error.message}` };
  }
}

function readOperation(given: Json, index: number): Operation {
  const place = `operation ${index} of the patch`;
  if (!isJsonObject(given)) throw new Unprocessable(`${place} is not an object`);
  const op = operations.find((each) => each === given["op"]);
  if (op === undefined) throw new Unprocessable(`${place} needs an op: ${operations.join(", ")}`);
  const { path, from, value } = given;
  if (typeof path !== "string") throw new Unprocessable(`${place} needs a path`);
  const needsFrom = op === "move" || op === "copy";
  if (needsFrom && typeof from !== "string") throw new Unprocessable(`${place} needs a from`);
  if (value === undefined && (op === "add" || op === "replace" || op === "test")) {
    throw new Unprocessable(`${place} needs a value`);
  }
  return {
    op,
    path,
    steps: stepsOf(path, place),
    from: typeof from === "string" ? from : "",
    fromSteps: typeof from === "string" && needsFrom ? stepsOf(from, place) : [],
    value: value ?? null,
  };
}

function stepsOf(path: string, place: string): string[] {
  const steps = parsePointer(path);
  if (steps === undefined) throw new Unprocessable(`${place}: the path ${shown(path)} does not begin with /`);
  if (steps.includes("__proto__")) {
    throw new Unprocessable(`${place}: the name "__proto__" cannot be used for a field`);
  }
  return steps;
}

/** State of one patch, applied to a copy of the object. */
class PatchWork {
  root: Json;
  readonly #budget = new PatchBudget();

  constructor(root: Json) {
    this.root = root;
  }

  run({ op, path, steps, from, fromSteps, value }: Operation): void {
    switch (op) {
      case "add":
        this.#add(steps, cloneJson(value), path);
        return;
      case "remove":
        this.#remove(steps, path);
        return;
      case "replace":
        this.#get(steps, path);
        this.#put(steps, cloneJson(value));
        return;
      case "move": {
        if (fromSteps.length < steps.length && fromSteps.every((step, index) => step === steps[index])) {
          throw new Unprocessable(`a value cannot be moved into itself: ${shown(path)}`);
        }
        this.#add(steps, this.#remove(fromSteps, from), path);
        return;
      }
      case "copy":
        this.#add(steps, this.#budget.copy(this.#get(fromSteps, from)), path);
        return;
      case "test":
        // The comparison costs no more than the value in the patch, because a failed test ends the patch.
        if (sameJson(this.#get(steps, path), value)) return;
        throw new Unprocessable(`testing value ${shown(path)} failed`);
    }
  }

  #get(steps: readonly string[], path: string): Json {
    let value: Json | undefined = this.root;
    for (const step of steps) value = childAt(value, step);
    if (value === undefined) throw missing(path);
    return value;
  }

  /** Assigns to an existing location. */
  #put(steps: readonly string[], value: Json): void {
    const last = steps.at(-1);
    const container = containerOf(this.root, steps);
    if (last === undefined || container === undefined) this.root = value;
    else if (Array.isArray(container)) container[Number(last)] = value;
    else container[last] = value;
  }

  #add(steps: readonly string[], value: Json, path: string): void {
    const last = steps.at(-1);
    if (last === undefined) {
      this.root = value;
      return;
    }
    const container = containerOf(this.root, steps);
    if (container === undefined) throw missing(path);
    if (!Array.isArray(container)) {
      container[last] = value;
      return;
    }
    const index = last === "-" ? container.length : listIndex(last);
    if (index === undefined || index > container.length) throw missing(path);
    this.#budget.shift(container.length - index);
    container.splice(index, 0, value);
  }

  #remove(steps: readonly string[], path: string): Json {
    const value = this.#get(steps, path);
    const last = steps.at(-1);
    const container = containerOf(this.root, steps);
    if (last === undefined || container === undefined) {
      throw new Unprocessable("the whole object cannot be removed by a patch");
    }
    if (Array.isArray(container)) {
      this.#budget.shift(container.length - Number(last));
      container.splice(Number(last), 1);
    } else {
      delete container[last];
    }
    return value;
  }
}

function missing(path: string): Unprocessable {
  return new Unprocessable(`the path ${shown(path)} does not exist`);
}

function shown(path: string): string {
  return JSON.stringify(path.length > maxShownPath ? `${path.slice(0, maxShownPath)}…` : path);
}
