import { Agent } from "node:https";
import { httpsRequest, type TestResponse } from "./platform.ts";
import { resumingWatch, type WatchEventLine } from "./watch-client.ts";

/** An object as the last acknowledged write left it. */
export interface Acknowledged {
  readonly uid: string;
  readonly version: bigint;
  readonly turn: string;
}

export interface WriteLoad {
  requests(): number;
  /** Requests that met the end of a kept connection. */
  repeated(): number;
  /** Requests that failed, and responses that contradict what was acknowledged before them. */
  readonly faults: readonly string[];
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  /** Resolves when no request is open; further ones wait for `resume`. */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Ends the load.
   * @returns for each watch what it lacks or has too much, once it has all or `limitMs` are over; and the
   *   connections that the watches had
   */
  stop(limitMs: number): Promise<{ readonly gaps: readonly string[]; readonly connections: number }>;
}

export interface WriteLoadOptions {
  /** A collection of ConfigMaps, with its address. */
  readonly collection: string;
  readonly bearer: string;
  readonly clients: number;
  readonly requestsPerSecond: number;
  readonly watches: number;
}

/** Objects of a client, at most; each is written by one request at a time. */
const maxObjects = 40;
const maxOpen = 50;

/**
 * Creates, updates, deletes and lists ConfigMaps at a steady rate from several clients, every second one on
 * kept connections, and watches them.
 */
export async function startWriteLoad(options: WriteLoadOptions): Promise<WriteLoad> {
  const { collection, bearer, clients } = options;
  const acknowledged = new Map<string, Acknowledged>();
  /** Of each object, the events that its acknowledged writes make. */
  const written = new Map<string, string[]>();
  const faults: string[] = [];
  const open = new Set<Promise<void>>();
  const busy = new Set<string>();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  let highest = 0n;
  let sent = 0;
  let repeated = 0;
  let isPaused = false;

  const note = (name: string, event: string): void => {
    written.set(name, [...(written.get(name) ?? []), event]);
  };
  /** What a write is acknowledged with must be newer than all that was acknowledged before it was sent. */
  const acknowledge = (name: string, turn: string, before: bigint, { json }: TestResponse): void => {
    const version = BigInt(json.metadata.resourceVersion);
    const { uid } = json.metadata;
    const known = acknowledged.get(name);
    if (version <= before) faults.push(`${name}: version ${version} after ${before}`);
    if (known !== undefined && known.uid !== uid) faults.push(`${name}: uid ${uid} in place of ${known.uid}`);
    if (json.data.turn !== turn) faults.push(`${name}: ${json.data.turn} in place of ${turn}`);
    acknowledged.set(name, { uid, version, turn });
    note(name, `${known === undefined ? "ADDED" : "MODIFIED"} ${version}`);
    if (version > highest) highest = version;
  };
  const checkList = (client: string, before: Map<string, Acknowledged>, newest: bigint, json: unknown) => {
    const { metadata, items } = json as { metadata: { resourceVersion: string }; items: ListedConfigMap[] };
    if (BigInt(metadata.resourceVersion) < newest)
      faults.push(`list of ${client}: version ${metadata.resourceVersion} after ${newest}`);
    const found = new Map(items.map((item) => [item.metadata.name, item]));
    for (const [name, { uid, version, turn }] of before) {
      const item = found.get(name);
      // Written meanwhile: the list may be from before or after.
      if (busy.has(name) || acknowledged.get(name)?.version !== version) continue;
      const isEqual = item?.metadata.uid === uid && item.data.turn === turn;
      if (!isEqual) faults.push(`list of ${client}: ${name} is ${JSON.stringify(item)}`);
    }
  };

  const send = async (index: number): Promise<void> => {
    const clientIndex = index % clients;
    const client = `client-${clientIndex}`;
    const turn = Math.floor(index / clients);
    const more = { bearer, ...(clientIndex % 2 === 0 && { agent }) };
    const mine = [...acknowledged.keys()].filter((name) => name.startsWith(`${client}-`));
    const free = mine.filter((name) => !busy.has(name));
    const name = free[turn % Math.max(1, free.length)];
    const before = highest;
    const call = async (method: string, path: string, code: number, body?: object) => {
      const attempt = () => httpsRequest(`${collection}${path}`, { ...more, method, body });
      // As clients do where the server closes an idle connection that they are about to use. Had the server
      // done what the first request asked for, the second would be a conflict.
      const response = await attempt().catch((error: Error & { reusedSocket?: boolean }) => {
        if (error.reusedSocket !== true) throw error;
        repeated++;
        return attempt();
      });
      if (response.code !== code) throw new Error(`${response.code} ${response.text.slice(0, 300)}`);
      return response;
    };
    const bodyOf = (name: string, resourceVersion?: bigint) => ({
      metadata: {
        ...{ name, labels: { client } },
        ...(resourceVersion === undefined ? {} : { resourceVersion: String(resourceVersion) }),
      },
      data: { turn: String(turn) },
    });
    const write = async (name: string, work: () => Promise<void>): Promise<void> => {
      busy.add(name);
      try {
        await work();
      } finally {
        busy.delete(name);
      }
    };
    if (turn % 4 === 3) {
      const known = new Map(mine.flatMap((name) => listable(name)));
      const { json } = await call("GET", `?labelSelector=client%3D${client}`, 200);
      checkList(client, known, before, json);
    } else if (name === undefined || (turn % 4 === 0 && mine.length < maxObjects)) {
      const fresh = `${client}-${turn}`;
      await write(fresh, async () =>
        acknowledge(fresh, String(turn), before, await call("POST", "", 201, bodyOf(fresh))),
      );
    } else if (turn % 4 === 0) {
      await write(name, async () => {
        await call("DELETE", `/${name}`, 200);
        acknowledged.delete(name);
        note(name, "DELETED");
      });
    } else {
      await write(name, async () => {
        const body = bodyOf(name, acknowledged.get(name)?.version);
        acknowledge(name, String(turn), before, await call("PUT", `/${name}`, 200, body));
      });
    }
  };
  const listable = (name: string): [string, Acknowledged][] => {
    const known = acknowledged.get(name);
    return known === undefined || busy.has(name) ? [] : [[name, known]];
  };

  const { json } = await httpsRequest(collection, { bearer });
  const from = json.metadata.resourceVersion;
  const watches = Array.from({ length: options.watches }, (_, index) => {
    const seen = new Map<string, string[]>();
    let last = 0n;
    const onEvent = ({ type, object }: WatchEventLine): void => {
      if (type === "ERROR") return void faults.push(`watch ${index}: ${JSON.stringify(object)}`);
      const version = BigInt(object.metadata.resourceVersion);
      // A bookmark may repeat the version of the last event.
      if (type === "BOOKMARK" ? version < last : version <= last)
        faults.push(`watch ${index}: ${type} of version ${version} after ${last}`);
      last = version;
      const { name } = object.metadata;
      if (type === "BOOKMARK" || !name.startsWith("client-")) return;
      seen.set(name, [...(seen.get(name) ?? []), type === "DELETED" ? type : `${type} ${version}`]);
    };
    const urlOf = (version: string) =>
      `${collection}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
    return { seen, watch: resumingWatch(urlOf, bearer, from, onEvent) };
  });
  const gapsOf = (index: number, seen: ReadonlyMap<string, readonly string[]>): string[] =>
    [...new Set([...written.keys(), ...seen.keys()])].flatMap((name) => {
      const [expected, found] = [written.get(name)?.join(), seen.get(name)?.join()];
      return expected === found ? [] : [`watch ${index}: ${name}: ${found} in place of ${expected}`];
    });

  const timer = setInterval(() => {
    // On a machine that is too slow for the rate, requests in progress would meet the token's limit.
    if (isPaused || open.size >= maxOpen) return;
    const index = sent++;
    const request = send(index).catch((error: unknown) => {
      faults.push(`request ${index}: ${String(error)}`);
    });
    open.add(request);
    void request.finally(() => open.delete(request));
  }, 1_000 / options.requestsPerSecond);
  const settle = async (): Promise<void> => {
    isPaused = true;
    await Promise.all(open);
  };
  return {
    requests: () => sent,
    repeated: () => repeated,
    faults,
    acknowledged,
    pause: settle,
    resume() {
      isPaused = false;
    },
    async stop(limitMs) {
      await settle();
      clearInterval(timer);
      agent.destroy();
      const gaps = () => watches.flatMap(({ seen }, index) => gapsOf(index, seen));
      for (const deadlineMs = performance.now() + limitMs; performance.now() < deadlineMs; ) {
        if (gaps().length === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await Promise.all(watches.map(({ watch }) => watch.stop()));
      const connections = watches.reduce((sum, { watch }) => sum + watch.connections(), 0);
      return { gaps: gaps(), connections };
    },
  };
}

interface ListedConfigMap {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly data: { readonly turn: string };
}
