export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** One entry of a plane's change log. */
export interface Change {
  readonly resourceVersion: string;
  readonly type: ChangeType;
  readonly key: string;
  /** The object after the change; for DELETED, its last state with the version of the deletion. */
  readonly json: string;
  /** The object before the change; "" if it was added. */
  readonly previous: string;
}
