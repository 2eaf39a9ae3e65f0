import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { FairSemaphore } from "../../../base/core/fair-semaphore.ts";
import type { Service } from "../../../base/core/service.ts";
import { pause, untilAborted, withEither, withLimit } from "../../../base/core/signals.ts";
import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { objectPath } from "../plane/object-writer.ts";
import { nameKey, numberAt, textAt, uidOf } from "../plane/plane-object.ts";
import { type Runtime, RuntimeError } from "../runtime/runtime.ts";

export interface InstanceLogsOptions {
  readonly runtime: Pick<Runtime, "readLog" | "kind">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Logs that are sent at once; those of one plane take at most half. */
const places = 16;
/** The control plane ends a log that does not begin within 10 s. */
const waitMs = 8_000;
/** Bytes of a part: of the log, before they are written as text. */
const partBytes = 128 * 1024;
/** Between two parts, so that few requests are made of many lines. */
const gatherMs = 250;
const fullPartMs = 100;
/** An empty part says that the log is still followed. */
const aliveMs = 10_000;
/** A reader who takes nothing for this long has gone. */
const behindMs = 60_000;
/** A log that begins with nothing begins nevertheless. */
const firstMs = 2_000;
const behindAgainMs = 500;
const maxKnown = 1_000;

/** Sends the logs of this provider's instances that the control planes ask for. */
export class InstanceLogs implements Service {
  readonly name = "provider logs";
  readonly #options: InstanceLogsOptions;
  readonly #places = new FairSemaphore(places, "half");
  /** Requests that were taken, the oldest first: each is announced several times. */
  readonly #known = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #ended = new AbortController();

  constructor(options: InstanceLogsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#ended.abort();
    await Promise.all(this.#running);
  }

  /** Takes a request, unless it has been taken, or is for an instance of another provider. */
  take(plane: FollowedPlane, request: PlaneObject): void {
    const id = textAt(request, "id");
    const key = nameKey(textAt(request, "namespace"), textAt(request, "name"));
    const instance = plane.instances.get(key);
    if (id === undefined || this.#known.has(id) || this.#ended.signal.aborted) return;
    if (instance === undefined || plane.ownership(instance) === "other") return;
    if (uidOf(instance) !== textAt(request, "uid")) return;
    this.#known.add(id);
    for (const oldest of this.#known) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(oldest);
    }
    const running: Promise<void> = this.#send(plane, id, request)
      .catch((error: unknown) => {
        this.#options.log.info({ error: describeError(error) }, "the log of an instance cannot be sent");
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #send(plane: FollowedPlane, id: string, request: PlaneObject): Promise<void> {
    await withLimit(this.#ended.signal, waitMs, (limited) => this.#places.acquire(plane.plane, limited));
    try {
      const unread = new AbortController();
      await withEither([this.#ended.signal, unread.signal], async (signal) => {
        const sender = new PartSender(plane, id, request, this.#options.clock, () => unread.abort());
        const sending = sender.run(signal);
        let refused: string | undefined;
        try {
          await this.#read(request, (bytes) => sender.add(bytes, signal), signal);
        } catch (error) {
          if (signal.aborted) throw error;
          // The words of an unavailable engine name its socket; the reader is asked to try again.
          if (!(error instanceof RuntimeError) || error.outcome === "unavailable") {
            unread.abort();
            throw error;
          }
          refused = error.shown;
        }
        sender.end(refused);
        await sending;
      });
    } finally {
      this.#places.release(plane.plane);
    }
  }

  async #read(
    request: PlaneObject,
    take: (bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const log = {
      uid: textAt(request, "uid") ?? "",
      container: textAt(request, "container") ?? "",
      follow: valueAt(request, ["follow"]) === true,
      timestamps: valueAt(request, ["timestamps"]) === true,
      tailLines: numberAt(request, "tailLines"),
      sinceMs: numberAt(request, "sinceMs"),
    };
    await this.#options.runtime.readLog(log, take, signal);
  }
}

/** Sends what is added in parts, one at a time, until the end. */
class PartSender {
  readonly #plane: FollowedPlane;
  readonly #path: string;
  readonly #id: string;
  readonly #clock: Clock;
  readonly #onGone: () => void;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #hasBegun = false;
  #end: { readonly refused: string | undefined } | undefined;
  /** Ends the pause of {@link run}, or that of {@link add}. */
  #changed = new AbortController();

  constructor(plane: FollowedPlane, id: string, request: PlaneObject, clock: Clock, onGone: () => void) {
    const { namespace = "", name = "" } = request as Record<string, string>;
    this.#plane = plane;
    this.#path = `${objectPath(plane.instances.path, namespace, name)}/log`;
    this.#id = id;
    this.#clock = clock;
    this.#onGone = onGone;
  }

  /** Resolves when there is room for more. */
  async add(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    while (this.#heldBytes >= partBytes && !signal.aborted) await this.#change(aliveMs, signal);
    signal.throwIfAborted();
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    this.#wake();
  }

  /** @param refused why there is no log */
  end(refused: string | undefined): void {
    this.#end = { refused };
    this.#wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const quietMs = this.#hasBegun ? aliveMs : firstMs;
      if (this.#heldBytes === 0 && this.#end === undefined) await this.#change(quietMs, signal);
      if (this.#heldBytes < partBytes && this.#end === undefined) {
        await pause(this.#clock, gatherMs, [signal]);
      }
      if (signal.aborted) return;
      const all = Buffer.concat(this.#held);
      const data = all.subarray(0, partBytes);
      this.#held = data.length < all.length ? [all.subarray(data.length)] : [];
      this.#heldBytes = all.length - data.length;
      const isLast = this.#end !== undefined && this.#heldBytes === 0;
      const refused = isLast ? this.#end?.refused : undefined;
      const part = { data: data.toString("base64"), isLast, ...(refused === undefined ? {} : { refused }) };
      this.#wake();
      if (!(await this.#post(part, signal))) return this.#onGone();
      this.#hasBegun = true;
      if (isLast) return;
      await pause(this.#clock, fullPartMs, [signal]);
    }
  }

  /** @returns whether somebody reads the log */
  async #post(body: object, signal: AbortSignal): Promise<boolean> {
    const sinceMs = this.#clock.monotonicMs();
    while (!signal.aborted && this.#clock.monotonicMs() - sinceMs < behindMs) {
      const options = { body, query: { request: this.#id }, isOptional: true };
      const outcome = await this.#plane.client.send("POST", this.#path, options, signal);
      if (outcome.outcome === "ok") return true;
      if (outcome.outcome === "rejected" && outcome.code !== 409 && outcome.code < 500) return false;
      await pause(this.#clock, behindAgainMs, [signal]);
    }
    return false;
  }

  async #change(ms: number, signal: AbortSignal): Promise<void> {
    await pause(this.#clock, ms, [signal, this.#changed.signal]);
  }

  #wake(): void {
    this.#changed.abort("woken");
    this.#changed = new AbortController();
  }
}
