import { createServer } from "node:http";
import { decodeWriteRequest } from "../../../scripts/samples/wire-codec.ts";
import { hangingCount, largeTeam, seriesOfTeam } from "./scene.ts";

/** Receives the teams' samples and records their arrival times. */
export interface TeamReceiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** From now on the first teams get no response. */
  hang(): void;
  /** Number of requests that currently hang. */
  readonly hanging: number;
  /** Arrival time of each complete tick's last sample, by the tick's time. */
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
      // The large team's samples are only counted, since decoding them would take processor time from
      // telemetryd and the store.
      if (team !== largeTeam) chunks.push(chunk);
    });
    message.on("end", () => {
      const nowMs = performance.timeOrigin + performance.now();
      if (team < hangingCount && isHanging) {
        hanging++;
        response.once("close", () => hanging--);
        return;
      }
      // Closing the small teams' connections forces a name lookup per request; a kept connection needs no
      // name server.
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
