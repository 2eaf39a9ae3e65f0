/** `npm run pictures`: takes the documents' pictures of a running demo in a headless Chromium. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { sleep } from "../src/base/core/clock.ts";
import { projectRoot } from "./daemon/build.ts";
import { openNotes } from "./demo/leftovers.ts";
import { demoFolder, startSystem } from "./demo/system.ts";
import { findServers } from "./servers/find.ts";

/** Long enough for the page to have data. */
const runsForMs = 60_000;
const { signal } = new AbortController();

async function take(browser: Browser, url: string, name: string, heightPx: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: heightPx } });
  await page.goto(url);
  // Long enough for the page's script to poll once.
  await sleep(3_000, signal);
  // A sink's details, with its receiver's last response; the roadmap has none.
  const [details] = await page.locator("summary").all();
  await details?.click();
  const file = join(projectRoot, "docs", "images", name);
  await page.screenshot({ path: file });
  await page.close();
  console.log(file);
}

const { chromium: program } = await findServers(["chromium"], { onProgress: console.log, signal });
const notes = openNotes(join(demoFolder, "processes.json"));
const stops: (() => Promise<unknown>)[] = [];
try {
  const system = await startSystem({ notes, stops, say: console.log, signal });
  await sleep(runsForMs, signal);
  await mkdir(join(projectRoot, "docs", "images"), { recursive: true });
  const browser = await chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env } as Record<string, string>,
    // In a container Chromium runs as root, where its sandbox does not work.
    args: ["--no-sandbox"],
  });
  await take(browser, `${system.daemon.opsUrl}/`, "status-page.png", 760);
  await take(browser, system.roadmap.url, "roadmap-page.png", 620);
  await browser.close();
} finally {
  for (const stop of stops) await stop();
  notes.remove();
}
