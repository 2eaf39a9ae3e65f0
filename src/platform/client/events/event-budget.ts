/** What an object's events may still cost: a token bucket with client-go's figures. */
export interface EventBudget {
  readonly tokens: number;
  /** Monotonic time of `tokens`, in ms. */
  readonly atMs: number;
}

const burst = 25;
const refillMs = 300_000;

export function fullBudget(nowMs: number): EventBudget {
  return { tokens: burst, atMs: nowMs };
}

/** The budget with what has been refilled since. */
export function refilled({ tokens, atMs }: EventBudget, nowMs: number): EventBudget {
  return { tokens: Math.min(burst, tokens + (nowMs - atMs) / refillMs), atMs: nowMs };
}

export function isFull({ tokens }: EventBudget): boolean {
  return tokens >= burst;
}

/** @returns undefined when there is no token */
export function spend(budget: EventBudget): EventBudget | undefined {
  return budget.tokens < 1 ? undefined : { ...budget, tokens: budget.tokens - 1 };
}
