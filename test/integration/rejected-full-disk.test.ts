import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/daemon/build.ts";

/**
 * Writes a request of 300 kB where a file may have 100 KiB, which a process sees as it sees a full disk: the
 * first write is cut short, the next one fails.
 */
const program = `
import { RejectedStore } from "./src/exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "./src/exporter/remote-write/send/metrics.ts";
import { systemClock } from "./src/base/core/clock.ts";
import { silentLogger } from "./src/base/log/log.ts";
const deps = { clock: systemClock, log: silentLogger, metrics: new RemoteWriteMetrics() };
const store = new RejectedStore(process.env.FOLDER, { maxBytes: 1e9, maxAgeMs: 1e9 }, deps);
const counts = { protocol: "1.0", sampleCount: 1, seriesCount: 1, uncompressedBytes: 1, minMs: 1, maxMs: 2 };
const add = (bytes) =>
  store.add({ sink: "s", endpoint: "http://r/", message: "m", request: { payload: Buffer.alloc(bytes), ...counts } });
const kept = [await add(300_000), await add(1_000)].map((entry) => entry !== undefined);
console.log(JSON.stringify(kept));
`;

test("an entry that the disk does not hold in full does not count as kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-full-"));
  try {
    const command = 'ulimit -f 200; exec "$0" --import tsx --input-type=module -e "$1"';
    const run = promisify(execFile)("sh", ["-c", command, process.execPath, program], {
      cwd: projectRoot,
      env: { ...process.env, FOLDER: folder, NODE_OPTIONS: "" },
    });
    expect(JSON.parse((await run).stdout)).toEqual([false, true]);
    expect(await readdir(folder)).toHaveLength(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});
