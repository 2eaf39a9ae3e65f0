/** An object of a control plane, as JSON. */
export type PlaneObject = Readonly<Record<string, unknown>>;

/**
 * State of the reflector of one collection.
 *
 * - *listing* collects the pages of a list; they take effect only once the last page has arrived;
 * - *watching* follows the changes after a version.
 *
 * `failures` counts consecutive failures, for the backoff before the next request.
 */
export type ReflectorState =
  | {
      readonly phase: "listing";
      readonly collected: readonly PlaneObject[];
      readonly continueToken: string;
      readonly failures: number;
    }
  | { readonly phase: "watching"; readonly resourceVersion: string; readonly failures: number };

export type ReflectorInput =
  | {
      readonly kind: "page";
      readonly items: readonly PlaneObject[];
      readonly continueToken: string;
      readonly resourceVersion: string;
    }
  | {
      readonly kind: "event";
      readonly type: string;
      readonly object: PlaneObject;
      readonly resourceVersion: string;
    }
  /** The server no longer knows the version, or the continue token of the list (410). */
  | { readonly kind: "expired" }
  /** No response, a broken connection, silence, or an unusable response. */
  | { readonly kind: "failed" }
  /** The server closed the watch cleanly. */
  | { readonly kind: "closed" };

/** Effect of a step, carried out by the holder of the objects. */
export type ReflectorEffect =
  | { readonly kind: "swap"; readonly items: readonly PlaneObject[] }
  | { readonly kind: "put" | "delete"; readonly object: PlaneObject };

export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly effect?: ReflectorEffect;
}

export const listFromStart: ReflectorState = {
  phase: "listing",
  collected: [],
  continueToken: "",
  failures: 0,
};

/**
 * Computes the next state from an input. An interrupted list removes nothing: objects are replaced as a whole
 * once the list is complete. An interrupted watch resumes from the last version seen; only an expired version
 * requires a new list.
 */
export function reflectorStep(state: ReflectorState, input: ReflectorInput): ReflectorStep {
  switch (input.kind) {
    case "failed":
      return { state: { ...state, failures: state.failures + 1 } };
    case "expired":
      return { state: { ...listFromStart, failures: state.failures + (state.phase === "listing" ? 1 : 0) } };
    case "closed":
      return { state };
    case "page": {
      if (state.phase !== "listing") return { state };
      const collected = [...state.collected, ...input.items];
      if (input.continueToken !== "") {
        return { state: { ...state, collected, continueToken: input.continueToken, failures: 0 } };
      }
      return {
        state: { phase: "watching", resourceVersion: input.resourceVersion, failures: 0 },
        effect: { kind: "swap", items: collected },
      };
    }
    case "event":
      return state.phase === "watching" ? eventStep(input) : { state };
  }
}

function eventStep(input: Extract<ReflectorInput, { kind: "event" }>): ReflectorStep {
  const state: ReflectorState = { phase: "watching", resourceVersion: input.resourceVersion, failures: 0 };
  switch (input.type) {
    case "ADDED":
    case "MODIFIED":
      return { state, effect: { kind: "put", object: input.object } };
    case "DELETED":
      return { state, effect: { kind: "delete", object: input.object } };
    default:
      return { state };
  }
}
