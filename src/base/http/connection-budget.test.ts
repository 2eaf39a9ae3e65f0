import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type RawServer, startRawServer } from "../../../test/support/net/raw-server.ts";
import { until } from "../../../test/support/until.ts";
import { ConnectionBudget, type IdleConnection } from "./connection-budget.ts";
import { Connections } from "./connections.ts";
import { ConnectError, LostConnection, PoolTimeout } from "./exchange.ts";
import { RequestHead } from "./request-head.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

describe("idle connections give way", () => {
  function kept(budget: ConnectionBudget, tenant: string, closed: string[]): IdleConnection {
    if (!budget.tryAcquire(tenant)) throw new Error("there is no place");
    const connection = { tenant, close: () => closed.push(tenant) };
    expect(budget.keep(connection)).toBe(true);
    return connection;
  }

  test("where nothing is free: a tenant's own, or the one that has been idle for longest", async () => {
    for (const [tenant, expected] of [
      ["b", "b"],
      ["c", "a"],
    ] as const) {
      const budget = new ConnectionBudget(3);
      const closed: string[] = [];
      for (const one of ["a", "b"]) kept(budget, one, closed);
      expect(budget.tryAcquire("d")).toBe(true);
      const acquiring = budget.acquire(tenant, never);
      expect(closed).toEqual([expected]);
      budget.release(expected);
      await acquiring;
    }
  });

  test("where a tenant has its part: only its own", async () => {
    const budget = new ConnectionBudget(8);
    const closed: string[] = [];
    kept(budget, "other", closed);
    for (let count = 0; count < 3; count++) kept(budget, "greedy", closed);
    expect(budget.tryAcquire("greedy")).toBe(true);
    const abort = new AbortController();
    const acquiring = budget.acquire("greedy", abort.signal).catch(() => "given up");
    expect(closed).toEqual(["greedy"]);
    // A connection that becomes idle meanwhile is not kept.
    expect(budget.keep({ tenant: "greedy", close: () => undefined })).toBe(false);
    expect(budget.keep({ tenant: "other", close: () => undefined })).toBe(true);
    abort.abort();
    expect(await acquiring).toBe("given up");
  });

  test("one that is used again does not", () => {
    const budget = new ConnectionBudget(1);
    const closed: string[] = [];
    budget.unkeep(kept(budget, "a", closed));
    void budget.acquire("b", never);
    expect(closed).toEqual([]);
  });
});

/** Counts the places taken at once. A server's own count lags: it learns of a closed connection later. */
class CountingBudget extends ConnectionBudget {
  most = 0;
  #taken = 0;

  override tryAcquire(tenant: string): boolean {
    const isFree = super.tryAcquire(tenant);
    if (isFree) this.#count();
    return isFree;
  }

  override async acquire(tenant: string, signal: AbortSignal): Promise<void> {
    if (this.tryAcquire(tenant)) return;
    await super.acquire(tenant, signal);
    this.#count();
  }

  override release(tenant: string): void {
    this.#taken--;
    super.release(tenant);
  }

  #count(): void {
    this.most = Math.max(this.most, ++this.#taken);
  }
}

describe("pools that share one", () => {
  let servers: RawServer[];
  let pools: Connections[];
  let budget: CountingBudget;

  beforeEach(async () => {
    servers = [];
    for (let count = 0; count < 3; count++) servers.push(await startRawServer((socket) => socket.write(ok)));
    use(2);
  });
  afterEach(async () => {
    for (const pool of pools) pool.close();
    for (const server of servers) await server[Symbol.asyncDispose]();
  });

  function use(places: number): void {
    budget = new CountingBudget(places);
    pools = servers.map(
      ({ port }) =>
        new Connections({
          url: new URL(`http://127.0.0.1:${port}`),
          ...{ max: 10, connectMs: 1_000, keepMs: 10_000, readBytes: 4_096, repeats: false, budget },
          channelName: "receiver",
          tls: () => ({}),
        }),
    );
  }

  function ask(pool: number, tenant: string, startMs = 5_000, signal = never): Promise<void> {
    const limits = { startMs, headersMs: 5_000, bodyIdleMs: 5_000, bodyMs: 5_000 };
    const head = new RequestHead("GET", "h", "/", {});
    return pools[pool]!.exchange({ head, tenant }, { begin: () => true, body: () => "more" }, limits, signal);
  }

  const openSockets = () => servers.flatMap(({ sockets }) => sockets).filter((socket) => !socket.destroyed);

  test("an idle connection to one server makes room for one to another", async () => {
    for (const pool of [0, 1, 2, 0, 1, 2]) await ask(pool, "a");
    await until("the others are closed", () => openSockets().length <= 2);
    expect(servers.map(({ sockets }) => sockets.length)).toEqual([2, 2, 2]);
  });

  test("whoever waits takes a connection of its pool that is free first, and all come to their turn", async () => {
    for (const server of servers) server.act = (socket) => setTimeout(() => socket.write(ok), 5);
    await Promise.all(Array.from({ length: 40 }, (_, index) => ask(0, `tenant ${index % 4}`)));
    expect(servers[0]!.sockets.length).toBeLessThanOrEqual(3);
    await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index % 3, `tenant ${index % 4}`)));
    expect(budget.most).toBeLessThanOrEqual(2);
  });

  test("a tenant whose receivers hang leaves room for the others", async () => {
    use(20);
    servers[0]!.act = () => undefined;
    const hanging = Array.from({ length: 100 }, () => ask(0, "greedy", 300).catch((error: Error) => error));
    await until("it has what it gets", () => servers[0]!.sockets.length === 10);
    await Promise.all(Array.from({ length: 30 }, (_, index) => ask(1, `tenant ${index % 3}`)));
    pools[0]!.close();
    const errors = await Promise.all(hanging);
    expect(errors.filter((error) => error instanceof LostConnection)).toHaveLength(10);
    expect(
      errors.filter((error) => error instanceof PoolTimeout || error instanceof ConnectError),
    ).toHaveLength(90);
  });

  test("a place comes back where TLS cannot even begin", async () => {
    const broken = { cert: "no certificate", key: "no key" };
    const url = new URL("https://127.0.0.1:1");
    const pool = new Connections({
      ...{ url, max: 10, connectMs: 1_000, keepMs: 10_000, readBytes: 4_096, repeats: false, budget },
      channelName: "receiver",
      tls: () => broken,
    });
    pools.push(pool);
    for (let count = 0; count < 5; count++) await expect(ask(3, "a")).rejects.toThrow(ConnectError);
  });

  test("places come back, however a wait or a connection ends", async () => {
    servers[0]!.act = () => undefined;
    servers[1]!.act = (socket) => socket.resetAndDestroy();
    const aborts = Array.from({ length: 12 }, () => new AbortController());
    const asking = aborts.map(({ signal }, index) =>
      ask(index % 2, `tenant ${index % 3}`, index % 4 === 0 ? 20 : 5_000, signal).catch(() => undefined),
    );
    await until(
      "two are open or have been",
      () => servers[0]!.sockets.length + servers[1]!.sockets.length >= 2,
    );
    for (const abort of aborts) abort.abort(new Error("enough"));
    await Promise.all(asking);
    pools[0]!.close();
    pools[1]!.close();
    await until("both places are free", () => {
      const taken = ["x", "y"].filter((tenant) => budget.tryAcquire(tenant));
      for (const tenant of taken) budget.release(tenant);
      return taken.length === 2;
    });
  });
});
