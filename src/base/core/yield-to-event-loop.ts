/**
 * Maximum time per turn of the event loop for what waits in `yieldToEventLoop`. A turn ends only when all its
 * callbacks have run, so many small steps would block timers and sockets as one large step does.
 */
const budgetMs = 10;

/** Resolvers, the longest wait first; those before `next` have been called. */
let waiting: (() => void)[] = [];
let next = 0;

/**
 * Resolves in a later turn of the event loop, after timers and sockets were served, in the order of the
 * calls. Call it between two steps of long work. All who wait share one budget of time in each turn.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(beginTurn);
  });
}

function beginTurn(): void {
  resume(performance.now() + budgetMs, waiting.length);
}

/** Resumes the first who waits and, once it has ended its step, the others up to `last` while time is left. */
function resume(endMs: number, last: number): void {
  waiting[next++]?.();
  // A tick that a microtask asks for runs after all microtasks: the step has then ended.
  queueMicrotask(() => {
    process.nextTick(() => {
      if (next < last && performance.now() < endMs) {
        resume(endMs, last);
        return;
      }
      // Resolved ones are removed only when they are the majority: each is moved at most once.
      if (next * 2 >= waiting.length) {
        waiting = waiting.slice(next);
        next = 0;
      }
      if (waiting.length > 0) setImmediate(beginTurn);
    });
  });
}
