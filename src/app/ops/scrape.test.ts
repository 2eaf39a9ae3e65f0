import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { Counter, Registry } from "prom-client";
import { expect, test } from "vitest";
import { Scrapes } from "./scrape.ts";

const never = new AbortController().signal;
const line = `telemetryd_piece{of="${"x".repeat(1_000)}"} 1\n`;

/** Endless, unless `count` is given; counts the requested pieces and the ended scrapes. */
function pieces(count = Infinity) {
  const seen = { asked: 0, ended: 0 };
  function* generate() {
    try {
      for (let index = 0; index < count; index++) {
        seen.asked++;
        yield line;
      }
    } finally {
      seen.ended++;
    }
  }
  return { seen, generate };
}

test("the registries come first, then every piece", async () => {
  const registry = new Registry();
  new Counter({ name: "a_total", help: "h", registers: [registry] }).inc();
  const scrapes = new Scrapes({ registries: [registry], pieces: pieces(100).generate });
  expect(await text(await scrapes.body("a", never))).toBe(`${await registry.metrics()}${line.repeat(100)}`);
  expect(scrapes.open).toBe(0);
});

test("others have their turn while much is formatted, also when the reader keeps up", async () => {
  function* slow() {
    for (let index = 0; index < 100; index++) {
      const until = performance.now() + 2;
      while (performance.now() < until);
      yield line;
    }
  }
  const scrapes = new Scrapes({ registries: [], pieces: slow });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await text(await scrapes.body("a", never));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(20);
});

test("a scrape that is broken off ends its work; one that nobody reads goes no further", async () => {
  const { seen, generate } = pieces();
  const scrapes = new Scrapes({ registries: [], pieces: generate });
  const gone = new AbortController();
  const body = await scrapes.body("a", gone.signal);
  await once(body, "readable");
  body.read();
  await delay(20);
  expect(seen.asked).toBeGreaterThan(0);
  expect(seen.asked).toBeLessThan(100);
  gone.abort();
  await once(body, "close");
  await delay(1);
  expect([seen.ended, scrapes.open]).toEqual([1, 0]);
});

test("scrapes of one address take turns; another address is served meanwhile; one that waits may leave", async () => {
  const scrapes = new Scrapes({ registries: [], pieces: pieces(10).generate });
  const first = await scrapes.body("a", never);
  const leaves = new AbortController();
  const leaving = scrapes.body("a", leaves.signal);
  const second = scrapes.body("a", never);
  await text(await scrapes.body("b", never));
  leaves.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  expect(scrapes.open).toBe(2);
  await text(first);
  expect(await text(await second)).toContain(line);
  expect(scrapes.open).toBe(0);
});

test("a reader that does not read gives its turn to another", async () => {
  const scrapes = new Scrapes({ registries: [], pieces: pieces(100).generate }, 1_000);
  const stuck = await scrapes.body("a", never);
  const failed = once(stuck, "error");
  const next = await scrapes.body("a", never);
  expect(String(await failed)).toContain("too long");
  expect((await text(next)).split("\n").length).toBeGreaterThan(100);
});

test("a fault while formatting is the reader's to see, and ends the turn", async () => {
  const scrapes = new Scrapes({
    registries: [],
    pieces: () => {
      throw new Error("broken");
    },
  });
  await expect(text(await scrapes.body("a", never))).rejects.toThrow("broken");
  expect(scrapes.open).toBe(0);
});
