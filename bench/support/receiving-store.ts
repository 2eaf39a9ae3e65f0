import { type RunningServer, startVictoriaMetrics } from "../../test/support/servers.ts";
import { metricLabels } from "../export-body.ts";

/** Data received by a store through remote write, by the store's own count. */
export interface Received {
  readonly samples: number;
  readonly requests: number;
  /** Bytes read from its connections, HTTP headers included. */
  readonly bytes: number;
}

/** The VictoriaMetrics that receives the samples; it counts every sender in the same way. */
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

  /** Samples received by any protocol. */
  async rows(): Promise<number> {
    const response = await fetch(`${this.#server.url}/metrics`);
    return sum(await response.text(), /^vm_rows_inserted_total\{[^}]*\} (\S+)/gm);
  }

  /**
   * Age of the newest visible sample of each of the load's series with these numbers; returns the oldest, ms.
   * Undefined while a series has none.
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
