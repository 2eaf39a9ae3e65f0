import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { EventSink } from "./watch-handler.ts";

/** Unsent bytes of a response above which its reader counts as behind. */
const maxUnsentBytes = 256 * 1024;

/** Writes a watch's events to a response. */
export function responseSink(response: ServerResponse): EventSink {
  return {
    write(line) {
      response.write(line);
      return response.writableLength < maxUnsentBytes;
    },
    async drained(signal) {
      if (response.writableLength < maxUnsentBytes || response.destroyed) return;
      await once(response, "drain", { signal });
    },
  };
}
