import type { CauseReason } from "../../../base/documents/schema-issue.ts";
import type { DocumentPath } from "../../../base/documents/yaml/document-path.ts";

/** A fault in a document, as the control plane's admission returns it and `validate` prints it. */
export interface DocumentFault {
  readonly severity: "error" | "warning";
  readonly path: DocumentPath;
  readonly reason: CauseReason;
  /** The fault and its correction; printed after the path. */
  readonly message: string;
  /** Lines that show the place within the value. */
  readonly excerpt?: string | undefined;
  /** The member's name is wrong, not its value: messages point at the name. */
  readonly atName?: true;
}

export function errorAt(path: DocumentPath, reason: CauseReason, message: string): DocumentFault {
  return { severity: "error", path, reason, message };
}

export function errorAtName(path: DocumentPath, reason: CauseReason, message: string): DocumentFault {
  return { severity: "error", path, reason, message, atName: true };
}

export function asErrors(
  issues: readonly { path: DocumentPath; reason: CauseReason; message: string }[] | undefined,
): DocumentFault[] {
  return (issues ?? []).map((issue) => ({ severity: "error", ...issue }));
}
