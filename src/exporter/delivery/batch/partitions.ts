/** The partitions that a task needs: one, or all of them, which makes it a barrier. */
export type PartitionChoice = number | "all";

/**
 * Queues tasks by partition, a share of a sink's series by hash. Tasks of one partition run strictly one
 * after another, those of different partitions in parallel. A task of "all" partitions runs alone, after all
 * tasks queued before it and before all queued after it.
 */
export class Partitions {
  readonly #tails: Promise<void>[];
  readonly #followed = new Set<Promise<void>>();
  #unfinished = 0;
  #whenFew: { readonly count: number; readonly resolve: () => void } | undefined;
  #firstError: { error: unknown } | undefined;

  constructor(count: number) {
    this.#tails = new Array<Promise<void>>(count).fill(Promise.resolve());
  }

  /** Queues a task. A rejection does not affect other tasks; {@link drained} reports it. */
  add(choice: PartitionChoice, task: () => Promise<void>): void {
    const before = choice === "all" ? Promise.all(this.#tails) : this.#tails[choice % this.#tails.length];
    this.#unfinished++;
    const done = Promise.resolve(before)
      .then(task)
      .then(
        () => this.#finished(),
        (error: unknown) => {
          this.#note(error);
          this.#finished();
        },
      );
    if (choice === "all") this.#tails.fill(done);
    else this.#tails[choice % this.#tails.length] = done;
  }

  /** Adds work that {@link drained} waits for, but no task. {@link drained} reports its rejection. */
  follow(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.#note(error))
      .then(() => void this.#followed.delete(done));
    this.#followed.add(done);
  }

  #note(error: unknown): void {
    this.#firstError ??= { error };
  }

  #finished(): void {
    this.#unfinished--;
    if (this.#whenFew === undefined || this.#unfinished > this.#whenFew.count) return;
    this.#whenFew.resolve();
    this.#whenFew = undefined;
  }

  /** Resolves when no more than `count` tasks are unfinished. Supports one caller at a time. */
  drainedTo(count: number): Promise<void> {
    if (this.#unfinished <= count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenFew = { count, resolve };
    });
  }

  /** Resolves when all tasks queued so far, and the work they added, have ended. @throws their first error */
  async drained(): Promise<void> {
    await Promise.all(this.#tails);
    await Promise.all(this.#followed);
    if (this.#firstError !== undefined) throw this.#firstError.error;
  }
}
