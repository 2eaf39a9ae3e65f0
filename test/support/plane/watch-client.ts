import type { Agent } from "node:https";
import { request } from "node:https";

export interface WatchEventLine {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into, field by field
  readonly object: any;
}

/** An open watch. */
export interface OpenWatch {
  /** Resolves when the server has begun its response: the watch sees what is written from then on. */
  readonly opened: Promise<void>;
  /** Resolves when the connection has ended for any reason. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Opens one watch and passes on each event; does not reconnect. */
export function openWatch(
  url: string,
  bearer: string,
  onEvent: (event: WatchEventLine) => void,
  options: { accept?: string; agent?: Agent } = {},
): OpenWatch {
  let rest = "";
  const outgoing = request(url, {
    agent: options.agent ?? false,
    rejectUnauthorized: false,
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(options.accept === undefined ? {} : { accept: options.accept }),
    },
  });
  const ended = new Promise<void>((resolve) => {
    outgoing.on("close", () => resolve());
    outgoing.on("error", () => resolve());
    outgoing.on("response", (response) => {
      response.setEncoding("utf8");
      response.on("error", () => resolve());
      response.on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) onEvent(JSON.parse(line) as WatchEventLine);
      });
    });
  });
  const opened = new Promise<void>((resolve) => outgoing.once("response", () => resolve()));
  outgoing.end();
  return { opened, ended, stop: () => outgoing.destroy() };
}

/**
 * A watch that resumes after every interruption, from the last version seen.
 *
 * @returns a function that ends it
 */
export function resumingWatch(
  urlOf: (resourceVersion: string) => string,
  bearer: string,
  fromVersion: string,
  onEvent: (event: WatchEventLine) => void,
): { stop(): Promise<void>; connections(): number } {
  let version = fromVersion;
  let isStopped = false;
  let connections = 0;
  let current: OpenWatch | undefined;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      connections++;
      current = openWatch(urlOf(version), bearer, (event) => {
        if (event.type !== "ERROR") version = event.object.metadata.resourceVersion;
        onEvent(event);
      });
      await current.ended;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const running = run();
  return {
    connections: () => connections,
    async stop() {
      isStopped = true;
      current?.stop();
      await running;
    },
  };
}
