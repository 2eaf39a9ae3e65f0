import { type RunningServer, startVictoriaMetrics } from "../../test/support/servers.ts";
import { metricLabels } from "../export-body.ts";

/** What a store has received by remote write, by its own count. */
export interface Received {
  readonly samples: number;
  readonly requests: number;
  /** Read from its connections, HTTP headers included. */
  readonly bytes: number;
}

/** The VictoriaMetrics that samples are sent to; every sender is counted by it, and so in the same way. */
export class ReceivingStore {
  readonly #server: RunningServer;

  private constructor(server: RunningServer) {
    this.#server = server;
  }

  static async start(): Promise<ReceivingStore> {
    return new ReceivingStore(await startVictoriaMetrics());
  }

  get url(): string {
    return this.#server.url;
  }

  get endpoint(): string {
    return `${this.#server.url}/api/v1/write`;
  }

  async received(): Promise<Received> {
    const response = await fetch(`${this.#server.url}/metrics`);
    const text = await response.text();
    return {
      samples: sum(text, /^vm_rows_inserted_total\{type="promremotewrite"\} (\S+)/gm),
      requests: sum(text, /^vm_http_requests_total\{path="\/api\/v1\/write"[^}]*\} (\S+)/gm),
      bytes: sum(text, /^vm_tcplistener_read_bytes_total\{[^}]*\} (\S+)/gm),
    };
  }

  /** Samples that came in any way. */
  async rows(): Promise<number> {
    const response = await fetch(`${this.#server.url}/metrics`);
    return sum(await response.text(), /^vm_rows_inserted_total\{[^}]*\} (\S+)/gm);
  }

  /**
   * How old the newest sample is that it shows of each of the load's series with these numbers: the oldest of them, ms;
   * undefined while one has none.
   */
  async lagMs(indexes: readonly number[]): Promise<number | undefined> {
    const newest = await Promise.all(indexes.map((index) => this.#newestMs(index)));
    const oldest = Math.min(...newest.map((timeMs) => timeMs ?? Number.NEGATIVE_INFINITY));
    return oldest > 0 ? Date.now() - oldest : undefined;
  }

  async #newestMs(index: number): Promise<number | undefined> {
    const { __name__: name, pod } = metricLabels(index);
    const body = new URLSearchParams({
      "match[]": `${name}{pod="${pod}"}`,
      start: String(Date.now() / 1_000 - 300),
    });
    const response = await fetch(`${this.#server.url}/api/v1/export`, { method: "POST", body });
    const lines = (await response.text()).trim().split("\n").filter(Boolean);
    const times = lines.flatMap((line) => (JSON.parse(line) as { timestamps: number[] }).timestamps);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}

function sum(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
}
