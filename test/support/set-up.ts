import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";

/** What a set-up opens is closed after the tests, the newest first, also if the set-up itself fails. */
export interface SetUp {
  /** Opens something that the tests need. */
  keep<T extends Closable>(opening: T | Promise<T>): Promise<T>;
  /** Creates a folder below the system's temporary directory, with a name of its own behind `telemetryd-<name>-`. */
  newFolder(name: string): Promise<string>;
  onEnd(close: () => unknown): void;
}

/** By the first of these that it has. */
type Closable = AsyncDisposable | { stop(): unknown } | { close(): unknown } | { disconnect(): unknown };

type Open = (setUp: SetUp) => Promise<void>;

/** Opens what all tests of a file, or of a `describe`, share. */
export function setUpAll(open: Open, timeoutMs?: number): void {
  const releasers = new Releasers();
  beforeAll(() => open(setUpOf(releasers)), timeoutMs);
  afterAll(() => releasers.releaseAll());
}

/** Opens what each test has for itself. */
export function setUpEach(open: Open): void {
  const releasers = new Releasers();
  beforeEach(() => open(setUpOf(releasers)));
  afterEach(() => releasers.releaseAll());
}

function setUpOf(releasers: Releasers): SetUp {
  return {
    async keep(opening) {
      const opened = await opening;
      releasers.push(() => closed(opened));
      return opened;
    },
    async newFolder(name) {
      const path = await mkdtemp(join(tmpdir(), `telemetryd-${name}-`));
      releasers.push(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
      return path;
    },
    onEnd: (close) => releasers.push(close),
  };
}

function closed(opened: Closable): unknown {
  if (Symbol.asyncDispose in opened) return opened[Symbol.asyncDispose]();
  if ("stop" in opened) return opened.stop();
  return "close" in opened ? opened.close() : opened.disconnect();
}
