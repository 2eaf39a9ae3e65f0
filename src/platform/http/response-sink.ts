import type { ServerResponse } from "node:http";
import type { UnsentOfWatch } from "../watch/unsent-events.ts";
import type { EventSink } from "./watch-handler.ts";

/** Writes a watch's events to a response. */
export function responseSink(response: ServerResponse, unsent: UnsentOfWatch): EventSink {
  return {
    isReady: unsent.isReady,
    ready: unsent.ready,
    write(line) {
      response.write(line, unsent.add(Buffer.byteLength(line)));
    },
  };
}
