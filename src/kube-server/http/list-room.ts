import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { badRequest } from "../api/status.ts";
import type { ListPart } from "../resources/list.ts";
import type { Entry } from "./gate.ts";

/** Parts of lists that are in memory at once; one takes a few MiB until its client has read it. */
const partsAtOnce = 32;

/**
 * Bounds the memory of lists: a client that reads nothing of its responses would have the server keep a part
 * for each. A list waits for a place before each part, and gives it back when the part has been taken.
 */
export class ListRoom {
  readonly #places: FairSemaphore;

  constructor(places = partsAtOnce) {
    this.#places = new FairSemaphore(places, "half");
  }

  get taken(): number {
    return this.#places.taken;
  }

  /**
   * @param owner those who share a half of the places
   * @param onOver see {@link Entry.onOver}: whatever became of the response, the place is free then
   * @throws StatusError 400 if the response is over
   */
  async *hold(
    parts: AsyncGenerator<ListPart>,
    owner: string,
    onOver: Entry["onOver"],
  ): AsyncGenerator<ListPart> {
    const over = new AbortController();
    let isHeld = false;
    const release = (): void => {
      if (isHeld) this.#places.release(owner);
      isHeld = false;
    };
    onOver(() => {
      over.abort(badRequest("the request was broken off"));
      release();
    });
    try {
      for (;;) {
        await this.#places.acquire(owner, over.signal);
        isHeld = true;
        over.signal.throwIfAborted();
        const next = await parts.next();
        if (next.done === true) return;
        yield next.value;
        release();
      }
    } finally {
      release();
      await parts.return(undefined);
    }
  }
}
