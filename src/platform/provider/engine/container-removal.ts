import { setMaxListeners } from "node:events";
import { pause } from "../../../base/core/signals.ts";
import { refusedAs, unlessRefused } from "./engine-client.ts";
import type { ListedContainer } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import { labelOf, positionOf } from "./labels.ts";

/** How long a call waits for containers to end, which most do at once. */
export const stopWaitMs = 300;

export interface ContainerRemovalOptions extends EngineParts {
  /** Called with each container that is removed. */
  readonly onRemove: (container: ListedContainer) => void;
  /** Called with the instance of each container that has ended. */
  readonly onStop: (uid: string) => void;
}

/** Stops containers in the background, and removes those that have ended. */
export class ContainerRemoval {
  readonly #options: ContainerRemovalOptions;
  /** Containers that are being stopped, by the engine's id. */
  readonly #stops = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(options: ContainerRemovalOptions) {
    this.#options = options;
    // Every stop in the background listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Ends the stops; their containers end on their own. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#stops.values());
  }

  /** Takes the next steps of a removal, those that joined a namespace first. @returns whether all are gone */
  async remove(containers: readonly ListedContainer[], signal: AbortSignal): Promise<boolean> {
    const holderLast = containers.toSorted((a, b) => positionOf(b.Labels) - positionOf(a.Labels));
    const stops = this.stop(holderLast);
    if (stops.length > 0) {
      const inTime = Promise.all(stops).then(() => true);
      if (!(await Promise.race([inTime, pause(this.#options.clock, stopWaitMs, [signal]).then(() => false)])))
        return false;
    }
    for (const container of holderLast) {
      this.#options.onRemove(container);
      const query = { force: "true", v: "true" };
      const removal = this.#options.client.send("DELETE", `/containers/${container.Id}`, { query }, signal);
      await refusedAs("RemovalFailed", unlessRefused([404], removal));
    }
    return true;
  }

  /** Stops the containers that run, in the background. @returns one promise for each, which never rejects */
  stop(containers: readonly ListedContainer[]): Promise<unknown>[] {
    return containers
      .filter(({ State }) => !notRunning.has(State))
      .map(({ Id, Labels }) => this.#stop(Id, Labels));
  }

  /** Stops a container in the background; its removal kills it if that fails. Never rejects. */
  #stop(id: string, labels: Readonly<Record<string, string>>): Promise<unknown> {
    const known = this.#stops.get(id);
    if (known !== undefined) return known;
    const { client } = this.#options;
    const graceMs = Number(labels[labelOf.graceMs] ?? this.#options.graceMs);
    const request = { query: { t: Math.ceil(graceMs / 1000) }, limitMs: graceMs + 30_000 };
    const stop = client
      .send("POST", `/containers/${id}/stop`, request, this.#closing.signal)
      .catch(() => undefined)
      .then(() => {
        this.#stops.delete(id);
        const uid = labels[labelOf.instance];
        if (uid !== undefined && !this.#closing.signal.aborted) this.#options.onStop(uid);
      });
    this.#stops.set(id, stop);
    return stop;
  }
}

const notRunning = new Set(["created", "configured", "initialized", "exited", "stopped", "dead"]);
