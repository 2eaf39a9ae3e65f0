/** An object of a control plane, as JSON. */
export type PlaneObject = Readonly<Record<string, unknown>>;

/**
 * Where the following of one collection stands.
 *
 * - *listing* collects the parts of a list; nothing of it counts before the last part is there;
 * - *watching* follows the changes after a version.
 *
 * `failures` counts what went wrong in a row, for the pause before the next request.
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
  /** The version, or the token of a list's next part, is not known to the server any more (410). */
  | { readonly kind: "expired" }
  /** No response, a broken connection, silence, or a response that is none. */
  | { readonly kind: "failed" }
  /** The server ended the watch in order. */
  | { readonly kind: "closed" };

/** What the step makes the holder of the objects do. */
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
 * What follows from what has come. A list that breaks off takes nothing away: the objects are swapped whole when it is
 * complete. A watch that breaks off goes on from the version it has seen last; only an expired version means a new list.
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
