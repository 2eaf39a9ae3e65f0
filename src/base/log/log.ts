import { createRequire } from "node:module";
import { type Logger, pino } from "pino";
import { redact } from "./redact.ts";

export type { Logger } from "pino";

export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace"] as const;
type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

/** `auto`: text on a terminal, JSON anywhere else. */
export type LogFormat = "auto" | "text" | "json";

/** Destination of finished lines: a stream, or a test's own. */
export interface LineSink {
  write(text: string): unknown;
}

/**
 * The program's logger: one JSON object per line, or readable text. Every text in a finished
 * line passes through {@link redact}, so no field, nested error or message can leak a credential. Field names
 * do not: a secret that happens to equal one must not change the line's structure.
 */
export function createLogger(
  level: LogLevel,
  out: LineSink,
  isTerminal: boolean,
  wanted: LogFormat = "auto",
): Logger {
  const isText = wanted === "text" || (wanted === "auto" && isTerminal);
  const format = isText ? textFormat(isTerminal) : undefined;
  const line = {
    write(text: string) {
      const redacted = `${JSON.stringify(JSON.parse(text, redactText))}\n`;
      out.write(format?.(redacted) ?? redacted);
    },
  };
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (name: string) => ({ level: name }) },
    // A child has its parent as prototype, and methods of its own for the level at its creation. Without
    // these, a changed level is the children's, too.
    onChild: (child: Logger) => {
      for (const name of logLevels) Reflect.deleteProperty(child, name);
    },
  };
  return pino(options, line);
}

/** Loaded for text only: loading it slows the start. A terminal is read now, a file some other day. */
function textFormat(isTerminal: boolean): (line: string) => string {
  const load = createRequire(import.meta.url);
  const { prettyFactory } = load("pino-pretty") as typeof import("pino-pretty");
  return prettyFactory({
    colorize: isTerminal,
    translateTime: isTerminal ? "SYS:HH:MM:ss.l" : "SYS:yyyy-mm-dd HH:MM:ss.l o",
  });
}

function redactText(_: string, value: unknown): unknown {
  return typeof value === "string" ? redact(value) : value;
}

/** For tests and for commands that print their own messages. */
export const silentLogger: Logger = pino({ level: "silent" });
