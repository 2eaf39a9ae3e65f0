import { createServer } from "node:http";
import { decodeWriteRequest } from "../../../scripts/samples/wire-codec.ts";
import { hangingCount, largeTeam, seriesOfTeam } from "./scene.ts";

/** Takes what the teams send and notes when it was there. */
export interface TeamReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** From now on the first teams get no response any more. */
  hang(): void;
  /** Requests that hang at present. */
  readonly hanging: number;
  /** By team, and by the time of a tick: when its last sample was there. Only ticks that are whole. */
  arrivals(team: number): ReadonlyMap<number, number>;
  readonly largeRequests: number;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Tick {
  samples: number;
  atMs: number;
}

export async function startTeamReceiver(): Promise<TeamReceiver> {
  const ticks = new Map<number, Map<number, Tick>>();
  let isHanging = false;
  let hanging = 0;
  let largeRequests = 0;
  const server = createServer((message, response) => {
    const team = Number(new URL(message.url ?? "", "http://receiver").searchParams.get("team"));
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => {
      // What the large team sends is only counted: taking it apart would take a core that telemetryd and the
      // store need.
      if (team !== largeTeam) chunks.push(chunk);
    });
    message.on("end", () => {
      const nowMs = performance.timeOrigin + performance.now();
      if (team < hangingCount && isHanging) {
        hanging++;
        response.once("close", () => hanging--);
        return;
      }
      // The small ones' names are looked up for each request: what is kept needs no name server.
      response.writeHead(204, team === largeTeam ? {} : { connection: "close" }).end();
      if (team === largeTeam) largeRequests++;
      else note(team, Buffer.concat(chunks), nowMs);
    });
  });
  function note(team: number, body: Buffer, nowMs: number): void {
    const own = ticks.get(team) ?? new Map<number, Tick>();
    ticks.set(team, own);
    for (const { samples } of decodeWriteRequest(body)) {
      for (const { timestampMs } of samples) {
        const samplesSoFar = own.get(timestampMs)?.samples ?? 0;
        own.set(timestampMs, { samples: samplesSoFar + 1, atMs: nowMs });
      }
    }
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/api/v1/write`,
    port,
    hang: () => {
      isHanging = true;
    },
    get hanging() {
      return hanging;
    },
    arrivals: (team) =>
      new Map(
        [...(ticks.get(team) ?? [])].flatMap(([timeMs, { samples, atMs }]) =>
          samples >= seriesOfTeam ? [[timeMs, atMs]] : [],
        ),
      ),
    get largeRequests() {
      return largeRequests;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
