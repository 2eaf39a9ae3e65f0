import { createHash } from "node:crypto";
import { promises } from "node:dns";
import type { Clock } from "../../../base/core/clock.ts";
import { errnoCode } from "../../../base/core/errors.ts";
import { FairSemaphore } from "../../../base/core/fair-semaphore.ts";
import { challengeLabel } from "../../kinds/gateway/hostname-rules.ts";

/** `failed`: no name server says whether the record is there. `pending`: it is being looked up. */
export type Proof = "proven" | "missing" | "failed" | "pending";

export type LookUpTxt = (name: string) => Promise<readonly (readonly string[])[]>;

export interface HostnameProofsOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly lookUp: LookUpTxt;
}

/** The TXT record that proves a hostname or wildcard for a project. */
export function challengeOf(
  hostname: string,
  project: string,
): { readonly name: string; readonly value: string } {
  const token = createHash("sha256").update(`telemetryd hostname ${project}`).digest("hex").slice(0, 40);
  return { name: `${challengeLabel}.${hostname.replace("*.", "")}`, value: `telemetryd-project=${token}` };
}

/** TXT records by these name servers; the system's when there are none. */
export function txtLookup(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 });
    if (servers.length > 0) resolver.setServers([...servers]);
    return await resolver.resolveTxt(name);
  };
}

const lookupsAtOnce = 16;
/** Lookups of one project within a minute. */
const perMinute = 60;
const minuteMs = 60_000;
const maxRemembered = 20_000;
const noSuchRecord = new Set(["ENOTFOUND", "ENODATA"]);

interface Known {
  readonly outcome: Proof;
  readonly atMs: number;
}

/**
 * Looks for the records that prove hostnames, without keeping a controller waiting: its next look finds the
 * outcome. Projects take turns, and each has so many lookups a minute: one whose name servers do not respond
 * delays no other.
 */
export class HostnameProofs {
  readonly #options: HostnameProofsOptions;
  /** By record and value, the latest last. */
  readonly #known = new Map<string, Known>();
  readonly #turns = new FairSemaphore(lookupsAtOnce, "half");
  readonly #open = new Set<string>();
  readonly #started = new Map<string, { sinceMs: number; count: number }>();

  constructor(options: HostnameProofsOptions) {
    this.#options = options;
  }

  /**
   * @param project uid
   * @param maxAgeMs how old the outcome may be; an older one is looked up again, unless the project has
   *   used all of its lookups
   */
  check(hostname: string, project: string, maxAgeMs: number): Proof {
    const { name, value } = challengeOf(hostname, project);
    const key = `${name} ${value}`;
    const nowMs = this.#options.clock.monotonicMs();
    const known = this.#known.get(key);
    if (known !== undefined && nowMs - known.atMs < maxAgeMs) return known.outcome;
    if (this.#open.has(key)) return "pending";
    if (!this.#mayStart(project, nowMs)) return known?.outcome ?? "missing";
    void this.#lookUp(key, name, value, project);
    return "pending";
  }

  #mayStart(project: string, nowMs: number): boolean {
    const started = this.#started.get(project);
    if (started === undefined || nowMs - started.sinceMs >= minuteMs) {
      if (this.#started.size >= maxRemembered) this.#started.clear();
      this.#started.set(project, { sinceMs: nowMs, count: 1 });
      return true;
    }
    return started.count < perMinute && ++started.count > 0;
  }

  async #lookUp(key: string, name: string, value: string, project: string): Promise<void> {
    this.#open.add(key);
    let outcome: Proof = "failed";
    const signal = new AbortController().signal;
    try {
      await this.#turns.acquire(project, signal);
      try {
        const records = await this.#options.lookUp(name);
        outcome = records.some((parts) => parts.join("") === value) ? "proven" : "missing";
      } catch (error) {
        if (noSuchRecord.has(errnoCode(error) ?? "")) outcome = "missing";
      } finally {
        this.#turns.release(project);
      }
    } finally {
      this.#open.delete(key);
      this.#known.delete(key);
      this.#known.set(key, { outcome, atMs: this.#options.clock.monotonicMs() });
      const [oldest] = this.#known.keys();
      if (this.#known.size > maxRemembered && oldest !== undefined) this.#known.delete(oldest);
    }
  }
}
