/**
 * Time of steps that are long only now and then, such as the first encoding of a series. Whoever repeats
 * such steps adds up what its own have taken, and ends its turn of the event loop (`yieldToEventLoop`) in
 * time: many of them in a turn would block timers and sockets as one long step does.
 */
let totalMs = 0;

/** Counts a step's time. */
export function spendTurn(ms: number): void {
  totalMs += ms;
}

/** Of all steps since the start. */
export function turnWorkMs(): number {
  return totalMs;
}
