import type { LineSink } from "../../../../base/log/log.ts";
import { printedJsonLine } from "../../printed-json.ts";
import { createTroubles } from "./troubles.ts";
import type { WatchView } from "./watch-status.ts";

/** One JSON document per line (NDJSON), whenever the status differs from the one before. */
export function createJsonView(out: LineSink, warnings: LineSink): WatchView {
  const troubles = createTroubles(warnings);
  let last = "";
  return {
    show(status) {
      troubles.succeeded([]);
      const line = printedJsonLine(status);
      if (line !== last) out.write(line);
      last = line;
    },
    fail: troubles.failed,
  };
}
