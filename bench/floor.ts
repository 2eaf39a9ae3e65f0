import { type ChildProcess, fork } from "node:child_process";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { compressSync, uncompressSync } from "snappy";
import { LabelCache } from "../src/exporter/metrics-store/samples/label-cache.ts";
import { ExportLineDecoder } from "../src/exporter/metrics-store/victoriametrics/export-lines.ts";
import { exportBody } from "./export-body.ts";
import { newBatcher } from "./support/new-batcher.ts";

/**
 * The physical floor of an export, and the pipeline's distance from it: processor time per sample of
 * receiving the store's bytes over loopback, of copying them once, and of compressing the output; then of
 * receiving, decoding, cutting into requests, encoding and compressing the same bytes.
 */
const shapes = [
  { series: 50_000, perLine: 1, rounds: 12 },
  { series: 50_000, perLine: 20, rounds: 4 },
] as const;
const passes = 5;

if (process.argv[2] === "serve") serve(shapes[Number(process.argv[3])] ?? shapes[0]);
else await main();

async function main(): Promise<void> {
  const table: Record<string, object> = {};
  for (const [index, shape] of shapes.entries()) {
    const child = fork(fileURLToPath(import.meta.url), ["serve", String(index)], {
      execArgv: process.execArgv,
    });
    const port = await portOf(child);
    try {
      table[`${shape.series} series x ${shape.perLine}`] = await measure(shape, port);
    } finally {
      child.kill();
    }
  }
  console.log(
    "CPU ns a sample, the best of several passes; the last column is the pipeline beside the floor",
  );
  console.table(table);
}

interface Shape {
  readonly series: number;
  readonly perLine: number;
  readonly rounds: number;
}

async function measure({ series, perLine, rounds }: Shape, port: number): Promise<object> {
  const samples = series * perLine * rounds;
  const cache = new LabelCache(512 * 2 ** 20);
  const requests: Buffer[] = [];
  const pipeline = async (keep: boolean): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const pass = newBatcher(500, ({ payload }) => keep && round === 0 && requests.push(payload));
      const { onSeries } = pass.source("all");
      const window = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
      const decoder = new ExportLineDecoder(cache, window, (series, samples) => {
        onSeries(series, samples);
        return undefined;
      });
      await receive(port, (chunk) => void decoder.push(chunk));
      if (decoder.finish() !== undefined || decoder.samples !== series * perLine)
        throw new Error("not read whole");
      pass.finishAll();
    }
  };
  await pipeline(true);
  const bodies = requests.map((payload) => uncompressSync(payload, { asBuffer: true }) as Buffer);
  const room = Buffer.allocUnsafeSlow(2 ** 20);
  const receiving = await best(samples, async () => {
    for (let round = 0; round < rounds; round++) await receive(port, () => {});
  });
  const copying = await best(samples, async () => {
    for (let round = 0; round < rounds; round++) {
      let at = 0;
      await receive(port, (chunk) => {
        if (at + chunk.length > room.length) at = 0;
        at += chunk.copy(room, at);
      });
    }
  });
  const compressing = await best(samples, async () => {
    for (let round = 0; round < rounds; round++)
      for (const body of bodies) compressSync(body, { copyOutputData: true });
  });
  const whole = await best(samples, () => pipeline(false));
  const floor = copying + compressing;
  return {
    receive: Math.round(receiving),
    "and copy": Math.round(copying),
    snappy: Math.round(compressing),
    floor: Math.round(floor),
    pipeline: Math.round(whole),
    "x floor": Number((whole / floor).toFixed(2)),
  };
}

/** Other work on the machine only makes a pass slower, so the best pass counts. @returns CPU ns per sample */
async function best(samples: number, run: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let pass = 0; pass < passes; pass++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, ((user + system) * 1_000) / samples);
  }
  return least;
}

async function receive(port: number, onChunk: (chunk: Buffer) => unknown): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  socket.on("data", onChunk);
  await new Promise<void>((resolve, reject) => {
    socket.once("end", resolve);
    socket.once("error", reject);
  });
  socket.destroy();
}

/** Runs in its own process and sends the whole body to every client. */
function serve({ series, perLine }: Shape): void {
  const body = exportBody(series, perLine);
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.(typeof address === "object" && address !== null ? address.port : 0);
  });
}

async function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("message", (port) => resolve(Number(port)));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
}
