import { createRequire } from "node:module";
import { type Logger, pino } from "pino";
import { redact } from "./redact.ts";

export type { Logger } from "pino";

type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

/** Destination of finished lines: a stream, or a test's own. */
export interface LineSink {
  write(text: string): unknown;
}

/**
 * The program's logger: one JSON object per line, or readable lines on a terminal. Every text in a finished
 * line passes through {@link redact}, so no field, nested error or message can leak a credential. Field names
 * do not: a secret that happens to equal one must not change the line's structure.
 */
export function createLogger(level: LogLevel, out: LineSink, isTerminal: boolean): Logger {
  const format = isTerminal ? prettyFormat() : undefined;
  const line = {
    write(text: string) {
      const redacted = `${JSON.stringify(JSON.parse(text, redactText))}\n`;
      out.write(format?.(redacted) ?? redacted);
    },
  };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, line);
}

/** Loaded on a terminal only: loading it slows the start. */
function prettyFormat(): (line: string) => string {
  const load = createRequire(import.meta.url);
  const { prettyFactory } = load("pino-pretty") as typeof import("pino-pretty");
  return prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l" });
}

function redactText(_: string, value: unknown): unknown {
  return typeof value === "string" ? redact(value) : value;
}

/** For tests and for commands that print their own messages. */
export const silentLogger: Logger = pino({ level: "silent" });
