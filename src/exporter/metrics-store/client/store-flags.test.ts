import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { StoreClient } from "./store-client.ts";
import { StoreDedup } from "./store-dedup.ts";
import { StoreFlags } from "./store-flags.ts";
import { StoreRetention } from "./store-retention.ts";

test("one read serves interval and retention, for ten minutes, or a minute after a failure", async () => {
  const paths: string[] = [];
  let [text, closedConnections] = ['-dedup.minScrapeInterval="15s"\n-retentionPeriod="30d"\n', 0];
  const client = {
    ...{ configuredDedupMs: 0, knownFlavor: () => "victoriametrics" },
    get closedConnections() {
      return closedConnections;
    },
    readAbout: async ({ path }: { path: string }) => {
      paths.push(path);
      return text === "" ? { message: "broken off" } : text;
    },
  } as unknown as StoreClient;
  const clock = new TestClock(0);
  const flags = new StoreFlags(client, clock, silentLogger);
  const dedup = new StoreDedup(client, flags, silentLogger);
  const retention = new StoreRetention(client, flags, clock);
  const read = async () => {
    await retention.refresh();
    return [await dedup.intervalMs(), retention.knownMs(), paths.length];
  };
  const dayMs = 24 * 3_600_000;
  expect(await read()).toEqual([15_000, 30 * dayMs, 1]);
  clock.advance(9 * 60_000);
  expect(await read()).toEqual([15_000, 30 * dayMs, 1]);
  clock.advance(60_000);
  text = "";
  expect(await read()).toEqual([15_000, 30 * dayMs, 2]);
  text = '-retentionPeriod="60d"\n';
  expect(await read()).toEqual([15_000, 30 * dayMs, 2]);
  closedConnections++;
  expect(await read()).toEqual([0, 30 * dayMs, 3]);
  clock.advance(10 * 60_000);
  expect(await read()).toEqual([0, 60 * dayMs, 4]);
});
