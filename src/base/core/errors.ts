import { tlsFault } from "./tls-words.ts";

/**
 * Every fault of the program, in one table: a code for tests and documents, and the exit status of a command
 * that fails with it. `docs/errors.md` lists the same codes; a test keeps the two in sync.
 *
 * Expected failures (a receiver responds with 503, a source is down) are values, not errors.
 */
export const errorTable = {
  INVALID_CONFIGURATION: {
    exitStatus: 2,
    meaning: "The configuration has faults; all are listed with their place.",
  },
  INVALID_MANIFEST: {
    exitStatus: 2,
    meaning: "A policy or Secret manifest has faults; all are listed with their place.",
  },
  INVALID_ARGUMENT: { exitStatus: 2, meaning: "A command-line argument cannot be used." },
  FILE_UNREADABLE: {
    exitStatus: 2,
    meaning: "A file that the configuration or the command line names cannot be read.",
  },
  UNSUPPORTED: { exitStatus: 2, meaning: "The request is understood, but what it asks for cannot be done." },
  STATE_LOCKED: { exitStatus: 3, meaning: "Another daemon holds the state directory." },
  STATE_UNUSABLE: {
    exitStatus: 3,
    meaning:
      "The state directory cannot be opened, belongs to another user, or holds data of a newer version.",
  },
  ADDRESS_IN_USE: { exitStatus: 3, meaning: "A listen address is taken or not available." },
  REDIS_UNAVAILABLE: { exitStatus: 3, meaning: "Redis is needed and cannot be started or used." },
  UNREACHABLE: {
    exitStatus: 4,
    meaning: "A server that the command asks does not respond, is not trusted, or refuses the token.",
  },
  SOURCE_FAILED: { exitStatus: 4, meaning: "The metrics store did not return a read in full." },
  DELIVERY_FAILED: { exitStatus: 5, meaning: "An export ended before everything was delivered." },
  INTERNAL: { exitStatus: 70, meaning: "A fault of telemetryd itself; please report it." },
} as const satisfies Record<string, { exitStatus: number; meaning: string }>;

export type ErrorCode = keyof typeof errorTable;

/** A fault with a code of the table. `message` addresses the person who has to act on it. */
export class TelemetrydError extends Error {
  override readonly name = "TelemetrydError";
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }

  get exitStatus(): number {
    return errorTable[this.code].exitStatus;
  }
}

/**
 * One line that describes an error, for logs and conditions: its message, and those of its causes that add
 * information. Node.js hides the useful part of network errors in `cause` and in AggregateError's `errors`.
 */
export function describeError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current !== undefined && current !== null && depth < 5; depth++) {
    const text = oneMessage(current);
    if (text !== "" && !parts.some((part) => part.includes(text))) parts.push(text);
    current = current instanceof Error ? current.cause : undefined;
  }
  return (
    parts
      .join(": ")
      .replace(/\s*[\r\n]+\s*/g, " ")
      .trim() || "unknown error"
  );
}

function oneMessage(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return oneMessage(error.errors[0]);
  const tls = tlsFault(error);
  if (tls !== undefined) return tls;
  if (error instanceof Error) return error.message || errnoCode(error) || error.name;
  return String(error);
}

/** The `code` of a Node system error ("ENOENT", "ECONNREFUSED"), or undefined. */
export function errnoCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
