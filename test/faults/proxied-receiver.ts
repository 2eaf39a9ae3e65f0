import { decodeWriteRequest } from "../../scripts/samples/wire-codec.ts";
import { sleep } from "../../src/base/core/clock.ts";
import type { Receiver } from "../equality/comparison.ts";
import type { WriterResult } from "../equality/writer.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "../support/net/fault-proxy.ts";
import type { RunningServer } from "../support/servers.ts";
import { answersAllowed, failuresAllowed, lanes, type TroubleCount, wrongPassword } from "./bounds.ts";
import { receiverFault, receiverTroubles, troubles } from "./schedule.ts";

/** A sink that has sent a request within this time may have more of its window to send. */
const busyMs = 2_000;

type OpenTrouble = { -readonly [Key in keyof TroubleCount]: TroubleCount[Key] };

/** A receiver behind a proxy that simulates troubles and counts their effects. */
export class ProxiedReceiver implements Receiver {
  readonly name: string;
  readonly kind: Receiver["kind"];
  readonly server: RunningServer;
  readonly proxy: FaultProxy;
  /**
   * Samples in requests that the receiver accepted but whose response was lost, or possibly not recorded
   * before a kill.
   */
  lostSamples = 0;
  readonly #troubles: OpenTrouble[] = [];
  readonly #open = new Set<OpenTrouble>();
  /** Starts of the daemon and edits during a transfer. */
  #interruptions = 0;

  private constructor(kind: Receiver["kind"], server: RunningServer, proxy: FaultProxy) {
    this.name = kind;
    this.kind = kind;
    this.server = server;
    this.proxy = proxy;
    proxy.onLost((body) => {
      for (const { samples } of decodeWriteRequest(body)) this.lostSamples += samples.length;
    });
  }

  static async start(kind: Receiver["kind"], server: RunningServer): Promise<ProxiedReceiver> {
    return new ProxiedReceiver(kind, server, await startFaultProxy(server.port));
  }

  /** Number of troubles so far, without wrong passwords. */
  get troubles(): number {
    return this.#troubles.filter(({ kind }) => kind !== wrongPassword).length;
  }

  /** The daemon starts or a policy is edited: a sink in trouble tries at once. */
  noteWake(): void {
    if (this.proxy.idleMs() < busyMs) this.#interruptions++;
    for (const trouble of this.#open) if (trouble.failed > 0) trouble.wakes++;
  }

  /**
   * The last response of each lane may be missing from the journal. The one before it is not, since the next
   * request was recorded after it.
   */
  noteKill(): void {
    this.proxy.clientDied(lanes);
  }

  /** Attributes subsequent events to this trouble, until its end. */
  begin(kind: string): { readonly trouble: OpenTrouble; readonly end: () => void } {
    const startMs = performance.now();
    const trouble = { kind, lengthMs: 0, failed: 0, passed: 0, wakes: 0 };
    this.#open.add(trouble);
    this.#troubles.push(trouble);
    return {
      trouble,
      end: () => {
        this.#open.delete(trouble);
        trouble.lengthMs = performance.now() - startMs;
      },
    };
  }

  /**
   * Causes one trouble after another until the signal; the receiver is healthy when the promise resolves.
   *
   * @param login the `Authorization` that it currently requires
   */
  async run(login: () => string, random: () => number, until: AbortSignal): Promise<void> {
    this.#response(login, () => ({ kind: "pass" }));
    const limits = { pauseMs: [1_000, 6_000], lengthMs: [1_000, 6_000] } as const;
    for (const { kind, afterMs, forMs } of troubles(receiverTroubles, random, limits)) {
      await sleep(afterMs, until).catch(() => undefined);
      if (until.aborted) return;
      const { trouble, end } = this.begin(kind);
      if (kind === "down") await this.proxy.down();
      this.#response(login, () => {
        const fault = receiverFault(kind, random);
        const isFailing = fault.kind !== "pass" && fault.kind !== "late";
        if (isFailing) trouble.failed++;
        else if (trouble.failed > 0) trouble.passed++;
        return fault;
      });
      await sleep(forMs, until).catch(() => undefined);
      this.#response(login, () => ({ kind: "pass" }));
      if (kind === "down") await this.proxy.up();
      end();
    }
  }

  #response(login: () => string, fault: () => Fault): void {
    this.proxy.plan(({ headers }) => {
      if (headers.get("authorization") === login()) return fault();
      for (const trouble of this.#open) if (trouble.kind === wrongPassword) trouble.failed++;
      return { kind: "response", status: 401 };
    });
  }

  /** Prints the request counts. @returns whether they are within the bounds of `bounds.ts` */
  keepsToBounds({ ticks, samples }: WriterResult, disturbedReads: number): boolean {
    const { name, proxy } = this;
    const failing = this.#troubles.filter(({ kind, failed }) => failed > 0 || kind === "down");
    const cuts = this.#interruptions + failing.length;
    const allowed = answersAllowed({ ticks, samplesOfTick: samples / ticks, cuts, disturbedReads });
    const beyond = this.#troubles.filter((trouble) => trouble.failed > failuresAllowed(trouble));
    for (const trouble of beyond) {
      console.log(
        `BEYOND ${name}: ${failuresAllowed(trouble)} failures allowed in ${JSON.stringify(trouble)}`,
      );
    }
    const most = Math.max(0, ...this.#troubles.map((trouble) => trouble.failed / failuresAllowed(trouble)));
    const isWithin = proxy.answered <= allowed;
    console.log(
      `${isWithin ? "within" : "BEYOND"} ${name}: ${proxy.answered} requests answered (allowed: ${allowed}), ${proxy.requests - proxy.answered} not; ${failing.length} troubles with failures, the worst had ${Math.round(most * 100)} % of those allowed`,
    );
    return isWithin && beyond.length === 0;
  }
}
