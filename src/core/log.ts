import { type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";
import { redact } from "./redact.ts";

export type { Logger } from "pino";

export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace";

/** Where finished lines go: a stream, or whatever a test passes. */
export interface LineSink {
  write(text: string): unknown;
}

/**
 * The program's logger: one JSON object a line, or readable lines on a terminal. Every line passes through
 * {@link redact} as finished text, so that no field, nested error or message can carry a credential out.
 */
export function createLogger(level: LogLevel, out: LineSink, isTerminal: boolean): Logger {
  const format = isTerminal ? prettyFactory({ colorize: true, translateTime: "SYS:HH:MM:ss.l" }) : undefined;
  const line = { write: (text: string) => void out.write(redact(format?.(text) ?? text)) };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, line);
}

/** For tests and for commands that print their own messages. */
export const silentLogger: Logger = pino({ level: "silent" });
