/**
 * Time per turn of the event loop for steps that are long only now and then, such as the first encoding of a
 * series: many of them in a turn would block timers and sockets as one long step does. Whoever repeats such
 * steps ends its turn (`yieldToEventLoop`) once the time is spent.
 */
const budgetMs = 5;

let spentMs = 0;

/** Counts a step's time in this turn. */
export function spendTurn(ms: number): void {
  // Before the next turn's steps, since immediate callbacks run in order.
  if (spentMs === 0) setImmediate(beginTurn);
  spentMs += ms;
}

export function isTurnSpent(): boolean {
  return spentMs >= budgetMs;
}

function beginTurn(): void {
  spentMs = 0;
}
