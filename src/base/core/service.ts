import { untilAborted, withEither } from "./signals.ts";

/**
 * A component that lives as long as the daemon. Constructors only assign: `run` acquires what the service
 * needs, works until the signal aborts, and releases everything before it resolves. It rejects only for a
 * fault that must end the daemon.
 */
export interface Service {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
  /** The current state for the status page; pulled, never pushed. */
  snapshot?(): unknown;
}

/** Releases acquisitions in LIFO order, even when start-up fails midway or a release fails. */
export class Releasers {
  readonly #stack: Array<() => unknown> = [];

  push(release: () => unknown): void {
    this.#stack.push(release);
  }

  async releaseAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#stack.pop(); release !== undefined; release = this.#stack.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, "releasing resources failed");
  }
}

/**
 * Runs services concurrently until the signal aborts or one of them fails, which stops the others.
 *
 * @throws the first failure, after all have ended
 */
export async function runServices(services: readonly Service[], signal: AbortSignal): Promise<void> {
  const failure = new AbortController();
  const failures: unknown[] = [];
  const run = async (service: Service, either: AbortSignal): Promise<void> => {
    try {
      await service.run(either);
    } catch (error) {
      // A rejection with the abort reason is a normal end, not a failure.
      if (either.aborted && error === either.reason) return;
      failures.push(error);
      failure.abort(error);
    }
  };
  await withEither([signal, failure.signal], (either) =>
    Promise.all(services.map((service) => run(service, either))),
  );
  if (failures.length > 0) throw failures[0];
}

/**
 * Runs services in stages. All start together; on stop, the last stage ends first, and each stage stops only
 * after the one behind it has ended. The operations server therefore still responds while exporters drain.
 *
 * @throws the first failure, after all have ended
 */
export async function runStages(
  stages: ReadonlyArray<readonly Service[]>,
  signal: AbortSignal,
): Promise<void> {
  const stopAll = new AbortController();
  const onAbort = () => stopAll.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const failures: unknown[] = [];
  let behind: Promise<void> = untilAborted(stopAll.signal);
  const running = stages
    .map((services) => ({ services, stop: new AbortController() }))
    .reverse()
    .map(({ services, stop }) => {
      const stageEnds = runServices(services, stop.signal).catch((error: unknown) => {
        failures.push(error);
        stopAll.abort(error);
      });
      const mayStop = behind.then(() => stop.abort(stopAll.signal.reason));
      behind = Promise.all([mayStop, stageEnds]).then(() => undefined);
      return behind;
    });
  await Promise.all(running);
  signal.removeEventListener("abort", onAbort);
  if (failures.length > 0) throw failures[0];
}
