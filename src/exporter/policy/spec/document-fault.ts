import type { DocumentPath } from "../../../base/documents/document-path.ts";
import type { CauseReason } from "../../../base/documents/schema-issue.ts";

/** Something wrong in a document, as the control plane's admission returns it and `validate` prints it. */
export interface DocumentFault {
  readonly severity: "error" | "warning";
  readonly path: DocumentPath;
  readonly reason: CauseReason;
  /** What is wrong and what would be right; follows the path. */
  readonly message: string;
  /** Lines that show the place within the value. */
  readonly excerpt?: string;
  /** It is the member's name that is wrong, not its value: the name is what to point at. */
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
