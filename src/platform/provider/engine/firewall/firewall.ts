import type { Clock } from "../../../../base/core/clock.ts";
import { describeError } from "../../../../base/core/errors.ts";
import { runLoop } from "../../../../base/core/loop.ts";
import type { Logger } from "../../../../base/log/log.ts";
import { RuntimeError } from "../../runtime/runtime.ts";
import type { DockerChains } from "./docker-chains.ts";
import {
  type FirewallNetwork,
  type FirewallPort,
  type FirewallRules,
  firewallTable,
  tableName,
  withoutTable,
} from "./firewall-table.ts";
import type { Nft } from "./nft.ts";

/** What an engine held when the provider started. */
export interface FirewallContent {
  readonly isPodman: boolean;
  /** By uid of the NetworkContext. */
  readonly networks: ReadonlyMap<string, FirewallNetwork>;
  /** By uid of the Instance. */
  readonly ports: ReadonlyMap<string, readonly FirewallPort[]>;
}

export interface FirewallOptions extends Pick<FirewallRules, "deny" | "allow"> {
  readonly nft: Nft;
  readonly dockerChains: DockerChains;
  readonly platform: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** @throws RuntimeError when the engine does not respond */
  content(signal: AbortSignal): Promise<FirewallContent>;
  /** Called when the firewall fails, and when it works again. */
  onChange(): void;
}

const checkEveryMs = 3_000;
/** The table is written again without a reason after so many checks. */
const rewriteEvery = 20;

/**
 * The provider's own table of the machine's nftables: between the networks of instances, into the machine,
 * and out of it. Written before a network or an instance is made, checked every few seconds, put back when it
 * differs. The engine's own rules are not relied upon.
 */
export class Firewall {
  readonly #options: FirewallOptions;
  readonly #table: string;
  readonly #networks = new Map<string, FirewallNetwork>();
  readonly #ports = new Map<string, readonly FirewallPort[]>();
  #isPodman = true;
  #isLoaded = false;
  /** What was written last, and how nft then listed it. */
  #written: { readonly script: string; readonly listing: string | undefined } | undefined;
  #checks = 0;
  #problem: string | undefined;
  /** Ends when nobody writes. */
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: FirewallOptions) {
    this.#options = options;
    this.#table = tableName(options.platform);
  }

  /** Why the table cannot be kept; undefined while it is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @throws RuntimeError FirewallUnavailable: then the network must not be made */
  async addNetwork(uid: string, network: FirewallNetwork, signal: AbortSignal): Promise<void> {
    await this.#change(() => this.#networks.set(uid, network), signal);
  }

  /** To be called when the network is gone. */
  async removeNetwork(uid: string, signal: AbortSignal): Promise<void> {
    await this.#change(() => this.#networks.delete(uid), signal);
  }

  /** @throws RuntimeError FirewallUnavailable: then the instance must not be started */
  async setInstance(uid: string, ports: readonly FirewallPort[], signal: AbortSignal): Promise<void> {
    await this.#change(() => this.#ports.set(uid, ports), signal);
  }

  /** To be called when the instance is gone. */
  async removeInstance(uid: string, signal: AbortSignal): Promise<void> {
    await this.#change(() => this.#ports.delete(uid), signal);
  }

  /** Checks the table until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const tick = async (): Promise<number> => {
      await this.check(signal);
      return checkEveryMs;
    };
    await runLoop(tick, { clock, pauseAfterErrorMs: checkEveryMs, onError: () => undefined }, signal);
  }

  /** Compares the table with what it should be, and puts it back. @throws RuntimeError */
  async check(signal: AbortSignal): Promise<void> {
    await this.#alone(async () => {
      const known = this.#written;
      this.#checks += 1;
      if (known?.listing !== undefined) {
        const listing = await this.#list(signal);
        if (listing !== known.listing) {
          const message = "the firewall's table was changed by something else and is put back";
          this.#options.log.warn({ table: this.#table }, message);
          this.#written = undefined;
        }
      }
      if (known?.listing === undefined || this.#checks % rewriteEvery === 0) this.#written = undefined;
      await this.#write(signal);
      await this.#passDocker(signal);
    }, signal);
  }

  async #change(change: () => unknown, signal: AbortSignal): Promise<void> {
    await this.#alone(async () => {
      change();
      await this.#write(signal);
    }, signal);
  }

  /** One writer at a time. */
  async #alone(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const done = this.#writing.then(async () => {
      await this.#load(signal);
      await work();
      this.#report(undefined);
    });
    this.#writing = done.catch(() => undefined);
    await done;
  }

  /** Calls a program; remembers that it does not work. @throws RuntimeError FirewallUnavailable */
  async #call<T>(work: (nft: Nft) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await work(this.#options.nft);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#written = undefined;
      this.#report(describeError(error));
      throw new RuntimeError("refused", "FirewallUnavailable", unavailable);
    }
  }

  /** Rules of what ran before the provider started: a table without them would cut it off. */
  async #load(signal: AbortSignal): Promise<void> {
    if (this.#isLoaded) return;
    // Without an engine, at least whether the firewall may be written is known.
    await this.#call((nft) => nft.run(withoutTable(`${this.#table}_test`), signal), signal);
    const { isPodman, networks, ports } = await this.#options.content(signal);
    this.#isPodman = isPodman;
    for (const [uid, network] of networks) this.#networks.set(uid, network);
    for (const [uid, open] of ports) this.#ports.set(uid, open);
    this.#isLoaded = true;
  }

  /** Writes the table unless it is known to be there. */
  async #write(signal: AbortSignal): Promise<void> {
    const { deny, allow } = this.#options;
    const networks = [...this.#networks.values()];
    const ports = [...this.#ports.values()].flat();
    const script =
      networks.length === 0
        ? withoutTable(this.#table)
        : firewallTable({
            table: this.#table,
            networks,
            ports,
            isPodman: this.#isPodman,
            deny,
            allow,
          });
    if (this.#written?.script === script) return;
    await this.#call((nft) => nft.run(script, signal), signal);
    await this.#passDocker(signal);
    const listing = networks.length === 0 ? undefined : await this.#list(signal);
    this.#written = { script, listing };
  }

  async #passDocker(signal: AbortSignal): Promise<void> {
    if (this.#isPodman) return;
    const { dockerChains } = this.#options;
    const change = this.#networks.size === 0 ? dockerChains.remove : dockerChains.add;
    await this.#call(() => change(this.#table, signal), signal);
  }

  async #list(signal: AbortSignal): Promise<string | undefined> {
    return await this.#call((nft) => nft.list(this.#table, signal), signal);
  }

  #report(problem: string | undefined): void {
    if (problem === this.#problem) return;
    const { log, onChange } = this.#options;
    const wasBroken = this.#problem !== undefined;
    this.#problem = problem;
    if (problem !== undefined)
      log.error({ error: problem }, "the firewall cannot be kept; nothing is started");
    else log.info({}, "the firewall works again");
    if (wasBroken !== (problem !== undefined)) onChange();
  }
}

/** For tenants: the details are the operator's. */
export const unavailable = "the firewall that keeps networks apart is unavailable";
