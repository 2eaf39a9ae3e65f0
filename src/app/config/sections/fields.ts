import { z } from "zod";
import { formatByteSize, parseByteSize } from "../../../base/core/byte-size.ts";
import { formatDuration, parseDuration } from "../../../base/core/duration.ts";
import { reportIssue, show } from "../../../base/documents/schema-issue.ts";
import { type ListenAddress, parseListenAddress } from "../../../base/net/listen-address.ts";
import { parseRedisAddress } from "../../../base/net/redis-address.ts";
import { addressRangeProblem, nameServerProblem, nat64PrefixProblem, urlProblem } from "./values.ts";

/**
 * Builders of the configuration's keys. Their `about` becomes the key's description in the JSON Schema, in
 * docs/configuration.md and in the message for a missing key.
 */

export type Unit = "ms" | "bytes";

/**
 * An amount whose unit is added to its key's name in the finished configuration: `interval` -> `intervalMs`.
 */
export class Quantity<U extends Unit> {
  readonly unit: U;
  readonly amount: number;

  constructor(unit: U, amount: number) {
    this.unit = unit;
    this.amount = amount;
  }
}

interface Bounds {
  readonly min: string;
  readonly max: string;
}

/** @param words texts accepted in place of a duration (ms), such as `now` */
export function duration(
  about: string,
  fallback: string,
  bounds: Bounds,
  words: Readonly<Record<string, number>> = {},
) {
  return z
    .string()
    .meta({ description: `${about} (${bounds.min} to ${bounds.max})`, "x-type": "duration" })
    .transform((text, context): Quantity<"ms"> => {
      const durationMs = words[text] ?? parseDuration(text);
      if (durationMs === undefined) {
        const alternative = Object.keys(words)
          .map((word) => `${word} or `)
          .join("");
        reportIssue(
          context,
          `must be ${alternative}a duration such as 250ms, 5s, 1m30s or 24h, not ${show(text)}`,
        );
        return z.NEVER;
      }
      if (
        durationMs < parseBound(bounds.min, parseDuration) ||
        durationMs > parseBound(bounds.max, parseDuration)
      ) {
        reportIssue(
          context,
          `must be between ${bounds.min} and ${bounds.max}, not ${formatDuration(durationMs)}`,
        );
      }
      return new Quantity("ms", durationMs);
    })
    .prefault(fallback);
}

export function byteSize(about: string, fallback: string, bounds: Bounds) {
  return z
    .string()
    .meta({ description: `${about} (${bounds.min} to ${bounds.max})`, "x-type": "size" })
    .transform((text, context): Quantity<"bytes"> => {
      const bytes = parseByteSize(text);
      if (bytes === undefined) {
        reportIssue(context, `must be a size such as 64KiB, 256MiB or 1GiB, not ${show(text)}`);
        return z.NEVER;
      }
      if (bytes < parseBound(bounds.min, parseByteSize) || bytes > parseBound(bounds.max, parseByteSize)) {
        reportIssue(context, `must be between ${bounds.min} and ${bounds.max}, not ${formatByteSize(bytes)}`);
      }
      return new Quantity("bytes", bytes);
    })
    .prefault(fallback);
}

function parseBound(text: string, parse: (text: string) => number | undefined): number {
  const amount = parse(text);
  if (amount === undefined) throw new TypeError(`${text} is not a bound`);
  return amount;
}

type PathExpects = "file" | "new file" | "directory" | "new directory";

/** A file or directory; relative paths are made absolute before validation. The loader checks `expects`. */
export function requiredPath(about: string, expects: PathExpects) {
  return z.string().min(1).meta({ description: about, "x-type": "path", "x-expects": expects });
}

/** An optional file; "" means none. */
export function optionalFile(about: string) {
  return z
    .string()
    .meta({ description: about, "x-type": "path", "x-expects": "file" satisfies PathExpects })
    .transform(emptyIsNone)
    .optional();
}

/** A file that is written, or one of the words; "" means none. */
export function optionalWordOrNewFile(about: string, words: readonly string[]) {
  const meta = { "x-type": "path", "x-expects": "new file" satisfies PathExpects, "x-words": [...words] };
  return z
    .string()
    .meta({ description: about, ...meta })
    .transform(emptyIsNone)
    .optional();
}

/** A file, or one of the words, which are no file's name. */
export function wordOrFile(about: string, words: readonly string[], fallback: string) {
  const meta = { "x-type": "path", "x-expects": "file" satisfies PathExpects, "x-words": [...words] };
  return z
    .string()
    .min(1)
    .meta({ description: about, ...meta })
    .prefault(fallback);
}

/** Optional text; "" means none. */
export function optionalText(about: string, check?: (text: string) => string | undefined) {
  return checked(about, check).transform(emptyIsNone).optional();
}

/** Text; `check` returns the problem, or undefined. It is not called for an empty text. */
export function checked(about: string, check: ((text: string) => string | undefined) | undefined) {
  return z
    .string()
    .meta({ description: about })
    .superRefine((text, context) => {
      const problem = text === "" ? undefined : check?.(text);
      if (problem !== undefined) reportIssue(context, problem);
    });
}

/** Required text, not empty. */
export function requiredText(about: string, check?: (text: string) => string | undefined) {
  return checked(about, check).min(1);
}

export function httpUrl(about: string) {
  return requiredText(about, (text) => urlProblem(text, ["http:", "https:"]));
}

export function integer(about: string, fallback: number, min: number, max: number) {
  return requiredInteger(about, min, max).prefault(fallback);
}

export function requiredInteger(about: string, min: number, max: number) {
  return z.int().min(min).max(max).meta({ description: about });
}

export function flag(about: string) {
  return z.boolean().meta({ description: about }).prefault(false);
}

export function optionalChoice<const T extends readonly [string, ...string[]]>(about: string, values: T) {
  return z.enum(values).meta({ description: about }).optional();
}

export function choice<const T extends readonly [string, ...string[]]>(
  about: string,
  values: T,
  fallback: T[number],
) {
  // The fallback is one of the values, which are the schema's input; the compiler cannot infer that from the
  // tuple.
  return z
    .enum(values)
    .meta({ description: about })
    .prefault(fallback as never);
}

export function list<T extends z.ZodType<unknown, string>>(
  about: string,
  item: T,
  fallback: readonly string[],
) {
  return z
    .array(item)
    .meta({ description: about })
    .prefault([...fallback] as z.input<T>[]);
}

/** A map of names to texts; `check` returns the problem of one entry, or undefined. */
export function textMap(about: string, check: (name: string, value: string) => string | undefined) {
  return z
    .record(z.string(), z.string())
    .meta({ description: about })
    .superRefine((members, context) => {
      for (const [name, value] of Object.entries(members)) {
        const problem = check(name, value);
        if (problem !== undefined) reportIssue(context, problem, { path: [name] });
      }
    })
    .prefault({});
}

export function listen(about: string, fallback: string) {
  return z
    .string()
    .meta({ description: about })
    .transform((text, context): ListenAddress => {
      const address = parseListenAddress(text);
      if (address === undefined) {
        reportIssue(
          context,
          `must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or :8080, not ${show(text)}`,
        );
        return z.NEVER;
      }
      return address;
    })
    .prefault(fallback);
}

export function addressRanges(about: string, fallback: readonly string[]) {
  return list(about, requiredText("An address range", addressRangeProblem), fallback);
}

export function nameServers(about: string) {
  return list(about, requiredText("A name server", nameServerProblem), []);
}

export function nat64Prefixes(about: string) {
  return list(about, requiredText("A NAT64 prefix", nat64PrefixProblem), []);
}

function emptyIsNone(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/**
 * The address of one Redis, or a list of them (see {@link parseRedisAddress}); the output is always a list.
 */
export function redisUrls(about: string) {
  return z
    .union([z.string(), z.array(z.string()).min(1)], { error: "must be an address or a list of addresses" })
    .meta({ description: about })
    .transform((value, context): readonly string[] => {
      const urls = typeof value === "string" ? [value] : value;
      const address = parseRedisAddress(urls);
      if (address.kind === "fault") {
        const { index, message } = address;
        const path = typeof value === "string" ? [] : [index];
        reportIssue(context, `must be ${message}, not ${show(urls[index] ?? "")}`, { path });
      }
      return urls;
    });
}
