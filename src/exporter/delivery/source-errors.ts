import type { Logger } from "../../base/log/log.ts";
import { type ReadFailure, storeUnreadable, tenantMessage } from "../metrics-store/client/read-failure.ts";
import { directoryPlane } from "../policy/plane.ts";
import type { SinkPlan } from "../policy/spec/types.ts";

/** The last read error of each of a sink's sources, as shown to the policy's owner. */
export class SourceErrors {
  readonly #sink: string;
  readonly #log: Logger;
  #shown: ReadonlyMap<string, string> = noErrors;

  /** @param sink its key */
  constructor(sink: string, log: Logger) {
    this.#sink = sink;
    this.#log = log;
  }

  /** Undefined when the source's last read succeeded. */
  get(source: string): string | undefined {
    return this.#shown.get(source);
  }

  /** Notes the outcome of a read. */
  note(plan: SinkPlan, source: string, failure: ReadFailure | undefined): void {
    this.#note(plan, source, failure?.message, failure && tenantMessage(failure));
  }

  /** The store does not respond: no source can be read. */
  noteUnreadable(plan: SinkPlan, message: string): void {
    for (const { name } of plan.sources) this.#note(plan, name, message, storeUnreadable);
  }

  /** The sink must not read from the store, for a reason that its owner sees. */
  noteNoStore(plan: SinkPlan, message: string): void {
    for (const { name } of plan.sources) this.#note(plan, name, message, message);
  }

  /** @param ownersError the error as shown to the owner of a tenant's policy; the log has the full error */
  #note(plan: SinkPlan, source: string, error: string | undefined, ownersError: string | undefined): void {
    const shown = plan.policy.plane === directoryPlane ? error : ownersError;
    const before = this.#shown.get(source);
    if (before !== shown) {
      const others = [...this.#shown].filter(([name]) => name !== source);
      this.#shown = new Map(shown === undefined ? others : [...others, [source, shown]]);
    }
    if (error === undefined) return;
    this.#log[before === shown ? "debug" : "warn"](
      { sink: this.#sink, source, error },
      "a source could not be read; its window is read again",
    );
  }
}

/** Shared by all sinks without errors: an empty Map for each would cost memory (bench/small-policies.ts). */
const noErrors: ReadonlyMap<string, string> = new Map();
