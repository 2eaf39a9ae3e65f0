import { renderTable } from "../table.ts";

/** The result of one check. */
export interface Finding {
  readonly check: string;
  /** `warning`: it works, with limits or for now. */
  readonly status: "ok" | "warning" | "failed";
  readonly detail: string;
  /** What to do. */
  readonly remedy?: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: "ok", detail };
}

export function warning(check: string, detail: string, remedy: string): Finding {
  return { check, status: "warning", detail, remedy };
}

export function failed(check: string, detail: string, remedy: string): Finding {
  return { check, status: "failed", detail, remedy };
}

const words = { ok: "ok", warning: "WARNING", failed: "FAILED" } as const;

/** A table, then what to do about each finding that is not ok. */
export function findingsText(findings: readonly Finding[]): string {
  const table = renderTable(
    ["CHECK", "RESULT", "DETAIL"],
    findings.map(({ check, status, detail }) => [check, words[status], detail]),
  );
  const remedies = findings.flatMap(({ check, remedy }) =>
    remedy === undefined ? [] : [`${check}: ${remedy}\n`],
  );
  const count = (status: Finding["status"]) => findings.filter((each) => each.status === status).length;
  const summary = `${count("failed")} failed, ${count("warning")} warnings, ${count("ok")} ok\n`;
  return [table, "\n", ...remedies, ...(remedies.length > 0 ? ["\n"] : []), summary].join("");
}
