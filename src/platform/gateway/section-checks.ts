import { createHash } from "node:crypto";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import type { CheckOutcome } from "./haproxy/configuration-check.ts";
import { type Section, writeConfiguration } from "./haproxy/configuration-file.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import { luaIsMissing } from "./haproxy/mirror-section.ts";
import type { HeldProgram, Refusal } from "./held-program.ts";

export interface SectionChecksOptions {
  readonly haproxy: Pick<Haproxy, "check">;
  /** The files that are checked are named after it. */
  readonly file: string;
  /** Whether a version's check is still of use. */
  readonly isCurrent: (held: HeldProgram) => boolean;
  /** Called when a check of a version has ended; without a refusal, HAProxy accepts it. */
  readonly onVerdict: (held: HeldProgram, refusal: Refusal | undefined) => void;
  readonly log: Logger;
}

/** A version with its section. */
interface Checked extends Wanted {
  readonly section: Section;
}

/** A version whose section is to be checked. It is made when its turn comes: many are replaced before. */
interface Wanted {
  readonly held: HeldProgram;
  readonly make: () => Section | undefined;
  section?: Section | undefined;
  /** With how many others it may be checked: halved until the one that fails is alone. */
  readonly most: number;
  readonly onEnd: () => void;
}

const checksAtOnce = 2;
/** Sections that are checked together: one process for each of 10,000 plain proxies would take minutes. */
const together = { count: 500, bytes: 512 * 1024 };
/** A larger section may take long, and is checked alone. */
const smallBytes = 8 * 1024;
const againAfterMs = 30_000;
const maxRemembered = 50_000;

export const notAccepted: Refusal = { why: "HAProxy does not accept it" };
export const tooCostly: Refusal = {
  why: "HAProxy needs too much time or memory for it: use fewer matches, header filters and https backends",
  isExcess: true,
};

/**
 * Has HAProxy check sections apart from the configuration that it serves, a few at once. Projects take turns,
 * and each has one check at a time: one whose sections take long delays no other.
 */
export class SectionChecks {
  readonly #options: SectionChecksOptions;
  /** By the project's uid, in the order of their turns; none is empty. */
  readonly #queues = new Map<string, Wanted[]>();
  /** Projects whose sections are being checked. */
  readonly #busy = new Set<string>();
  readonly #running = new Map<number, Promise<void>>();
  /** Digests of the sections that HAProxy accepted. */
  readonly #accepted = new Set<string>();
  readonly #stop = new AbortController();
  #shared = "";

  constructor(options: SectionChecksOptions) {
    this.#options = options;
  }

  /**
   * Has a version's section checked. Resolves after its verdict, or when the version is replaced.
   *
   * @param make the section; undefined if there is none that could be checked
   * @param shared everything before the sections
   */
  async add(held: HeldProgram, make: () => Section | undefined, shared: string): Promise<void> {
    this.#shared = shared;
    await new Promise<void>((onEnd) => {
      this.#enqueue({ held, make, most: together.count, onEnd });
      this.#start();
    });
  }

  /** Ends all checks. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#queues.clear();
    await Promise.all(this.#running.values());
  }

  #enqueue(wanted: Wanted): void {
    const { uid } = wanted.held.program.plane;
    const queue = this.#queues.get(uid);
    if (queue === undefined) this.#queues.set(uid, [wanted]);
    else queue.push(wanted);
  }

  #start(): void {
    for (let slot = 0; slot < checksAtOnce; slot++) {
      if (this.#stop.signal.aborted || this.#running.has(slot)) continue;
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      const planes = new Set(batch.map(({ held }) => held.program.plane.uid));
      for (const plane of planes) this.#busy.add(plane);
      const running = this.#check(batch, slot).finally(() => {
        this.#running.delete(slot);
        for (const plane of planes) this.#busy.delete(plane);
        this.#start();
      });
      this.#running.set(slot, running);
    }
  }

  /** A large section of the next project, or small ones of it and of others. */
  #takeBatch(): Checked[] {
    const batch: Checked[] = [];
    const gateways = new Set<string>();
    let bytes = 0;
    let most = together.count;
    for (const [plane, queue] of [...this.#queues]) {
      if (this.#busy.has(plane)) continue;
      let taken = 0;
      for (const wanted of queue) {
        const next = this.#withSection(wanted);
        if (next !== undefined) {
          const size = next.section.text.length;
          most = Math.min(most, size <= smallBytes ? next.most : 1);
          const isFull = batch.length >= most || bytes + size > together.bytes;
          // Two versions of a program have sections of one name.
          const isThere = gateways.has(next.section.gateway);
          if (batch.length > 0 && (isFull || isThere)) break;
          batch.push(next);
          gateways.add(next.section.gateway);
          bytes += size;
        }
        taken++;
      }
      queue.splice(0, taken);
      // Its next turn is after all others'.
      this.#queues.delete(plane);
      if (queue.length > 0) this.#queues.set(plane, queue);
      if (batch.length >= most) break;
    }
    return batch;
  }

  /** Undefined when it needs no check, or none any more. */
  #withSection(wanted: Wanted): Checked | undefined {
    const section = this.#options.isCurrent(wanted.held) ? (wanted.section ?? wanted.make()) : undefined;
    if (section === undefined) {
      wanted.onEnd();
      return undefined;
    }
    if (this.#accepted.has(digestOf(section))) {
      this.#end({ ...wanted, section }, undefined);
      return undefined;
    }
    wanted.section = section;
    return { ...wanted, section };
  }

  async #check(batch: readonly Checked[], slot: number): Promise<void> {
    const { haproxy, file, log } = this.#options;
    try {
      const part = `${file}.part-${slot}`;
      const lines = await writeConfiguration(
        part,
        this.#shared,
        batch.map(({ section }) => section),
      );
      const outcome = await haproxy.check(part, this.#stop.signal);
      this.#conclude(batch, outcome, lines.gatewayOf);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      log.warn({ error: describeError(error) }, "programs cannot be checked; trying again");
      this.#again(batch);
    }
  }

  #conclude(
    batch: readonly Checked[],
    outcome: CheckOutcome,
    gatewayOf: (line: number) => string | undefined,
  ): void {
    if (outcome.kind === "late") {
      this.#again(batch);
      return;
    }
    if (outcome.kind === "accepted") {
      for (const each of batch) this.#end(each, undefined);
      return;
    }
    const complaints = outcome.kind === "refused" ? outcome.complaints : [];
    // A tenant's section is no reason for a complaint about what all share.
    const shared = complaints.find(({ line }) => line !== undefined && gatewayOf(line) === undefined);
    if (shared !== undefined) {
      const error = shared.message.slice(0, 500);
      this.#options.log.warn({ error }, "programs cannot be checked; trying again");
      this.#again(batch);
      return;
    }
    const named = new Map(
      complaints.map(({ line, message }) => {
        return [(line === undefined ? undefined : gatewayOf(line)) ?? namedIn(message), message];
      }),
    );
    const isAlone = batch.length === 1;
    for (const each of batch) {
      const gateway = each.section.gateway;
      const message = named.get(gateway) ?? complaints[0]?.message;
      if (isAlone || named.has(gateway)) {
        // The message has paths, and words of the configuration.
        const reason = message?.slice(0, 500) ?? "the check exceeded its limits";
        this.#options.log.warn({ gateway, message: reason }, "HAProxy does not accept a program");
        this.#end(each, outcome.kind === "exceeded" ? tooCostly : refusalFor(message));
      } else {
        this.#enqueue({ ...each, most: Math.max(1, batch.length >> 1) });
      }
    }
  }

  #end({ held, section, onEnd }: Checked, refusal: Refusal | undefined): void {
    if (refusal === undefined) {
      if (this.#accepted.size >= maxRemembered) this.#accepted.clear();
      this.#accepted.add(digestOf(section));
    }
    if (this.#options.isCurrent(held)) this.#options.onVerdict(held, refusal);
    onEnd();
  }

  #again(batch: readonly Checked[]): void {
    setTimeout(() => {
      for (const each of batch) this.#enqueue(each);
      this.#start();
    }, againAfterMs).unref();
  }
}

function digestOf({ text }: Section): string {
  return createHash("sha256").update(text).digest("base64");
}

function refusalFor(message = ""): Refusal {
  return message.includes(luaIsMissing) ? { why: luaIsMissing } : notAccepted;
}

function namedIn(message: string): string | undefined {
  return /\b(?:gateway|retry|mirror)-([0-9a-f-]{36})\b/.exec(message)?.[1];
}
