import { spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { BackupWriter } from "../src/kube-server/backup/backup-file.ts";
import { startRedis } from "../test/support/servers.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { megabytes, print, printVerdicts } from "./support/verdict.ts";

/**
 * Restores a backup of many objects into an empty Redis, and backs them up again, with the built program.
 * `--bytes` is each object's data; half of it does not compress.
 */
const { objects, projects, bytes } = numberOptions({ objects: 100_000, projects: 100, bytes: 1_000 });
const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-backup-"));
const redis = await startRedis({ persistent: true });
try {
  const file = join(folder, "made.backup");
  await writeBackup(file);
  print(`the file: ${megabytes((await stat(file)).size)} MB`);
  const config = join(folder, "telemetryd.yaml");
  const settings = { platform: { listen: "127.0.0.1:1" }, redis: { url: redis.url } };
  await writeFile(config, JSON.stringify({ ...settings, state: { directory: join(folder, "state") } }));
  const restored = await run("restore", file, config);
  const created = await run("create", join(folder, "again.backup"), config);
  const connection = new Redis(redis.url);
  const found = await Promise.all((await connection.keys("*:objects")).map((key) => connection.hlen(key)));
  connection.disconnect();
  const count = found.reduce((sum, each) => sum + each, 0);
  if (count < objects) throw new Error(`${count} of ${objects} objects were restored`);
  process.exitCode = printVerdicts(
    Object.entries({ restore: restored, create: created }).flatMap(([what, { seconds, peakBytes }]) => [
      { what: `backup ${what} of ${objects} objects`, figure: seconds, unit: "s", atMost: 60 },
      { what: `peak memory of backup ${what}`, figure: megabytes(peakBytes), unit: "MB", atMost: 200 },
    ]),
  );
} finally {
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A backup as the platform writes it: an organization, and projects with ConfigMaps. */
async function writeBackup(path: string): Promise<void> {
  const stream = createWriteStream(path);
  const writer = new BackupWriter(
    (chunk) =>
      new Promise((resolve, reject) => stream.write(chunk, (error) => (error ? reject(error) : resolve()))),
  );
  const [organization, createdAt] = ["acme", new Date().toISOString()];
  await writer.add(["backup", { telemetryd: "bench", createdAt }]);
  await addPlane(0, { type: "organization", name: organization, uid: randomUUID(), organization });
  for (let index = 1; index <= projects; index++) {
    const plane = { type: "project", name: `project-${index}`, uid: randomUUID(), organization } as const;
    await addPlane(index, plane);
    await writer.add(["hash", "platform-access:projects", plane.name, JSON.stringify(plane)]);
  }
  await writer.add(["end", String(Date.now() * 1_000)]);
  await writer.end();
  await new Promise((resolve) => stream.end(resolve));

  async function addPlane(
    section: number,
    plane: { type: "organization" | "project"; name: string; uid: string; organization: string },
  ) {
    await writer.add(["plane", section, plane]);
    if (plane.type === "organization") {
      await writer.add(["hash", "platform-access:organizations", plane.name, JSON.stringify(plane)]);
    }
    for (let index = 0; plane.type === "project" && index < objects / projects; index++) {
      const name = `config-${index}`;
      const text = "x".repeat(bytes / 2) + randomBytes(bytes / 4).toString("hex");
      const json = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"${Date.now() * 1_000}","name":"${name}","namespace":"default","uid":"${randomUUID()}","creationTimestamp":"${createdAt}"},"data":{"text":"${text}"}}`;
      await writer.add(["object", section, `configmaps/default/${name}`, json]);
    }
    await writer.add(["kept", section, String(Date.now() * 1_000), false]);
  }
}

/** Runs a command of the built program. */
async function run(command: "create" | "restore", file: string, config: string) {
  const startMs = performance.now();
  const args = ["dist/cli.js", "backup", command, file, "--config", config];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  let peakBytes = 0;
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, processUsage(child.pid ?? 0).peakBytes);
  }, 50);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`backup ${command} ended with ${String(code)}`);
  return { seconds: (performance.now() - startMs) / 1_000, peakBytes };
}
