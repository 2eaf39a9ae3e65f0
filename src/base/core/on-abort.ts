interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const waiting = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal aborts; not if it has already. A signal has one listener for any number of
 * callbacks: hundreds of loops wait on the daemon's own, where Node.js warns of more than ten listeners and
 * slows down with their number.
 *
 * @returns a function that forgets the callback
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const known = waiting.get(signal) ?? listenTo(signal);
  // The same function may have been passed twice.
  const own = (): void => callback();
  known.callbacks.add(own);
  return () => {
    if (!known.callbacks.delete(own) || known.callbacks.size > 0) return;
    signal.removeEventListener("abort", known.listener);
    waiting.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const created = { callbacks, listener: () => callAll(callbacks) };
  waiting.set(signal, created);
  signal.addEventListener("abort", created.listener, { once: true });
  return created;
}

function callAll(added: Set<() => void>): void {
  for (const callback of added) {
    try {
      callback();
    } catch (error) {
      // As with listeners: the others are called, and the error is not lost.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
  added.clear();
}
