import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { createLogger } from "../../src/base/log/log.ts";
import { type ReplicaOptions, type RunningReplica, startReplica } from "../support/roadmap/replica.ts";
import { startRedis } from "../support/servers.ts";
import { until } from "../support/until.ts";

const releasers = new Releasers();
let directory = "";
let boardFile = "";

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "roadmap-"));
  releasers.push(() => rm(directory, { recursive: true, force: true }));
  boardFile = join(directory, "backlog.json");
  await writeBoard([item(1, "Planned")]);
});
afterEach(() => releasers.releaseAll());

function item(number: number, status: string) {
  return { number, title: `Item ${number}`, url: `https://example.com/${number}`, labels: ["ui"], status };
}

async function writeBoard(items: unknown[]): Promise<void> {
  await writeFile(`${boardFile}.half`, JSON.stringify({ items }));
  await rename(`${boardFile}.half`, boardFile);
}

function replica(options: Partial<ReplicaOptions> = {}): Promise<RunningReplica> {
  return startReplica({ directory, source: { kind: "file", file: boardFile }, ...options }, releasers);
}

function numbers({ roadmap }: RunningReplica): number[] {
  return roadmap.reader.backlog()?.items.map(({ number }) => number) ?? [];
}

async function idle(...replicas: RunningReplica[]): Promise<void> {
  for (const { roadmap } of replicas) {
    await until("no refresh runs", () => roadmap.reader.status()?.isRefreshing === false);
  }
}

describe("with a private Redis", () => {
  test("fills the cache by itself, then follows the file, and starts warm the next time", async () => {
    const first = await replica();
    await until("the cache is filled", () => numbers(first).length === 1);
    await idle(first);
    const filledAt = first.roadmap.reader.status()?.updatedAt ?? 0;
    expect(Math.abs(Date.now() - filledAt)).toBeLessThan(60_000);

    await writeBoard([item(7, "Backlog"), item(3, "Backlog"), item(5, "In progress"), item(9, "Done")]);
    await until("the change arrives", () => numbers(first).length === 3);
    expect(numbers(first)).toEqual([5, 3, 7]);
    await first.stop();

    const second = await replica();
    await until("it knows the backlog", () => numbers(second).length === 3);
    await idle(second);
  });

  test("a file that cannot be read keeps the cache as it was, and its repair counts at once", async () => {
    const lines: string[] = [];
    const log = createLogger("info", { write: (line) => lines.push(line) }, false);
    const one = await replica({ log });
    await until("the cache is filled", () => numbers(one).length === 1);
    await writeFile(boardFile, '{ "items": [');
    await until("the failure is told", () => lines.some((line) => line.includes("not refreshed")));
    expect(numbers(one)).toEqual([1]);
    await idle(one);
    await writeBoard([item(1, "Planned"), item(2, "Planned")]);
    await until("the repaired file is read", () => numbers(one).length === 2);
  });
});

describe("with a shared Redis", () => {
  test("two replicas started at once: one refresh, both know, and both see a change", async () => {
    await using server = await startRedis();
    const both = await Promise.all(["a", "b"].map((name) => replica({ name, redisUrl: server.url })));
    const [a, b] = both as [RunningReplica, RunningReplica];
    await until("both know", () => numbers(a).length === 1 && numbers(b).length === 1);
    await idle(a, b);
    await writeBoard([item(1, "Planned"), item(2, "Planned")]);
    await until("both have the change", () => numbers(a).length === 2 && numbers(b).length === 2);
    await until(
      "both tell the same",
      () => a.roadmap.reader.status()?.updatedAt === b.roadmap.reader.status()?.updatedAt,
    );
    await Promise.all([a.stop(), b.stop()]);
  });
});
