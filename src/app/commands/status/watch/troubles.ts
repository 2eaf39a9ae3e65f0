import type { LineSink } from "../../../../base/log/log.ts";
import { redact } from "../../../../base/log/redact.ts";
import { printable } from "../../table.ts";

/** Prints a watch's troubles beside its output: each once, when it begins. */
export interface Troubles {
  /** A refresh succeeded; these are the daemon's own warnings. */
  succeeded(warnings: readonly string[]): void;
  failed(reason: string): void;
}

export function createTroubles(out: LineSink): Troubles {
  let shown: readonly string[] = [];
  let failure: string | undefined;
  const warn = (text: string) => out.write(`Warning: ${redact(printable(text))}\n`);
  return {
    succeeded(warnings) {
      if (failure !== undefined) out.write("The daemon responds again.\n");
      failure = undefined;
      for (const warning of warnings) if (!shown.includes(warning)) warn(warning);
      shown = warnings;
    },
    failed(reason) {
      if (reason !== failure) warn(`${reason}; trying again`);
      failure = reason;
    },
  };
}
