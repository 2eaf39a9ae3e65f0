import type { Fault } from "../support/net/fault-proxy.ts";
import { randomInteger } from "../support/random.ts";

/** A period with a fault, after one without. */
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

/** An endless sequence of troubles of one kind of part; every kind occurs before any repeats. */
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
 * A receiver's fault for one request. Some requests succeed, so that samples sent before and after are mixed.
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

/** The store's fault for one read. */
export function storeFault(trouble: StoreTrouble, random: () => number): Fault {
  if (random() < 0.2) return pass;
  if (trouble === "slow") return { kind: "late", delayMs: randomInteger(random, 300, 2_000) };
  if (trouble === "down") return pass;
  const by = random() < 0.5 ? "reset" : "end";
  return { kind: "cut", afterBytes: randomInteger(random, 0, 200_000), by };
}
