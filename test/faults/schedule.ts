import type { Fault } from "../support/fault-proxy.ts";
import { randomInteger } from "../support/random.ts";

/** A period in which something is wrong, after one in which it is not. */
export interface Trouble<Kind extends string> {
  readonly kind: Kind;
  readonly afterMs: number;
  readonly forMs: number;
}

export const receiverTroubles = ["down", "slow", "500", "429", "reset", "lost-responses", "hang"] as const;
export type ReceiverTrouble = (typeof receiverTroubles)[number];

export const storeTroubles = ["down", "breaks-off", "slow"] as const;
export type StoreTrouble = (typeof storeTroubles)[number];

/** `kill` is `kill -9`. */
export const processTroubles = ["kill", "kill", "kill", "term", "disk-full"] as const;
export type ProcessTrouble = (typeof processTroubles)[number];

/** Troubles of one kind of part, one after another for ever; every kind comes before one comes again. */
export function* troubles<Kind extends string>(
  kinds: readonly Kind[],
  random: () => number,
  limits: { readonly pauseMs: readonly [number, number]; readonly lengthMs: readonly [number, number] },
): Generator<Trouble<Kind>, never> {
  for (;;) {
    const left = [...kinds];
    while (left.length > 0) {
      const [kind] = left.splice(randomInteger(random, 0, left.length - 1), 1);
      if (kind === undefined) break;
      const afterMs = randomInteger(random, ...limits.pauseMs);
      yield { kind, afterMs, forMs: randomInteger(random, ...limits.lengthMs) };
    }
  }
}

const pass: Fault = { kind: "pass" };

/**
 * What a receiver in trouble does with a request. Some get through, so that what was sent before and after
 * mix.
 */
export function receiverFault(trouble: ReceiverTrouble, random: () => number): Fault {
  if (random() < 0.2) return pass;
  switch (trouble) {
    case "down":
      return pass;
    case "slow":
      return { kind: "late", delayMs: randomInteger(random, 300, 3_000) };
    case "500":
      return { kind: "response", status: random() < 0.5 ? 500 : 503 };
    case "429":
      return {
        kind: "response",
        status: 429,
        headers: { "retry-after": String(randomInteger(random, 1, 3)) },
      };
    case "reset":
      return { kind: "reset", afterBytes: randomInteger(random, 0, 5_000) };
    case "lost-responses":
      return { kind: "lose-response" };
    case "hang":
      return { kind: "hang" };
  }
}

/** What the store in trouble does with a read. */
export function storeFault(trouble: StoreTrouble, random: () => number): Fault {
  if (random() < 0.2) return pass;
  if (trouble === "slow") return { kind: "late", delayMs: randomInteger(random, 300, 2_000) };
  if (trouble === "down") return pass;
  const by = random() < 0.5 ? "reset" : "end";
  return { kind: "cut", afterBytes: randomInteger(random, 0, 200_000), by };
}
