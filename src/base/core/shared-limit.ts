/** A limit on what clients may hold, in total and each. */
export interface SharedLimit {
  /**
   * @returns undefined when the client now holds the amount; otherwise the bound exceeded, and nothing was
   *   taken
   */
  take(client: string, amount?: number): "client" | "all" | undefined;
  release(client: string, amount?: number): void;
}

interface SharedLimitOptions {
  readonly all: number;
  readonly perClient: number;
}

/** Counts in this process only. Clients that hold nothing are not stored. */
export function createSharedLimit({ all, perClient }: SharedLimitOptions): SharedLimit {
  const held = new Map<string, number>();
  let total = 0;
  return {
    take(client, amount = 1) {
      const own = held.get(client) ?? 0;
      if (own + amount > perClient) return "client";
      if (total + amount > all) return "all";
      held.set(client, own + amount);
      total += amount;
      return undefined;
    },
    release(client, amount = 1) {
      const left = (held.get(client) ?? 0) - amount;
      if (left > 0) held.set(client, left);
      else held.delete(client);
      total -= amount;
    },
  };
}
