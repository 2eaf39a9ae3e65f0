import type { Plane } from "../api/plane.ts";
import type { ChangeType } from "./change.ts";
import type { StoredKind } from "./keys.ts";
import type { StoredParts } from "./stored-object.ts";
import type { ExceededQuota, Usage } from "./usage.ts";

/** One write. */
export interface Commit {
  readonly key: string;
  /** Version that the object must still have; "" if it must not exist. */
  readonly expectedVersion: string;
  readonly type: ChangeType;
  /** The new state, serialized; for DELETED, the last one. */
  readonly parts: StoredParts;
  /** Key of the namespace object, which must exist and not be terminating; "" for none. */
  readonly requiredNamespace: string;
  /** Controller work that the write causes. */
  readonly work: readonly string[];
  readonly nowMs: number;
  /** Uids of owners, and what else `ObjectStore.dependents` finds the object by. */
  readonly referencesBefore: readonly string[];
  readonly referencesAfter: readonly string[];
  /** For DELETED: none of these may be among the references of other objects, which use this one then. */
  readonly unusedBy?: Users | undefined;
  /** Change to the kind's counts; see `countsOf`. */
  readonly counts: Usage;
  /** A new project, whose name must be free; it gets the name with the same write. */
  readonly project?: Pick<Plane, "name" | "uid"> | undefined;
  /** Whether quotas apply to this write. It is counted in any case. */
  readonly isLimited: boolean;
  /** Runs all checks without writing. */
  readonly dryRun: boolean;
}

/** Objects of these kinds that have a reference. */
export interface Users {
  readonly reference: string;
  readonly kinds: readonly StoredKind[];
}

export type CommitOutcome =
  | { readonly outcome: "committed"; readonly json: string; readonly resourceVersion: string }
  | { readonly outcome: "exceeded"; readonly exceeded: readonly ExceededQuota[] }
  | {
      readonly outcome:
        | "gone"
        | "exists"
        | "missing"
        | "modified"
        | "no-namespace"
        | "terminating"
        | "leaving"
        /** The project's name is not free. */
        | "claimed"
        | "used";
    };
