import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { foundBrowser, launchBrowser } from "../support/daemon/browser.ts";
import { startFakeGithub } from "../support/roadmap/github-server.ts";
import { type RunningWebsite, startWebsite, type WebsiteOptions } from "../support/roadmap/website.ts";
import { until } from "../support/until.ts";

const fast = { idleMs: 200, refreshingMs: 100 };

describe.skipIf(foundBrowser === undefined)("the roadmap page in a browser", () => {
  let browser: Browser;
  let directory = "";
  let boardFile = "";
  const releasers = new Releasers();
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    complaints.length = 0;
    directory = await mkdtemp(join(tmpdir(), "roadmap-page-"));
    releasers.push(() => rm(directory, { recursive: true, force: true }));
    boardFile = join(directory, "backlog.json");
    await writeBoard([item(1, "Sign in with passkeys"), item(2, "A second region")]);
  });
  afterEach(() => releasers.releaseAll());

  function item(number: number, title: string, status = "Planned") {
    const labels = [{ name: "security", color: "d93f0b" }];
    return { number, title, url: `https://example.com/${number}`, labels, status };
  }

  async function writeBoard(items: unknown[]): Promise<void> {
    await writeFile(`${boardFile}.half`, JSON.stringify({ items }));
    await rename(`${boardFile}.half`, boardFile);
  }

  async function serve(options: Partial<WebsiteOptions> = {}): Promise<RunningWebsite> {
    const source = { kind: "file", file: boardFile } as const;
    const rateLimit = { limit: 100_000, windowMs: 60_000 };
    const website = await startWebsite({ directory, source, rateLimit, pace: fast, ...options }, releasers);
    return website;
  }

  async function filled(website: RunningWebsite): Promise<void> {
    await until("the cache is filled", () => website.roadmap.reader.backlog() !== undefined);
  }

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    releasers.push(() => context.close());
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${url}/roadmap`);
    return page;
  }

  test("follows the board in place: focus and untouched items stay", async () => {
    const website = await serve();
    await filled(website);
    const page = await open(website.url);
    const first = page.getByRole("link", { name: "Sign in with passkeys" });
    await first.focus();
    await first.evaluate((element) => Object.assign(element, { mark: "same element" }));

    await writeBoard([
      item(1, "Sign in with passkeys"),
      item(2, "Two more regions"),
      item(3, "Jobs", "Backlog"),
    ]);
    await page.getByRole("link", { name: "Two more regions" }).waitFor();
    await page
      .getByRole("region", { name: /^Backlog/ })
      .getByRole("link", { name: "Jobs" })
      .waitFor();
    expect(await page.getByRole("link", { name: "A second region" }).count()).toBe(0);
    expect(await first.evaluate((element) => (element as unknown as { mark?: string }).mark)).toBe(
      "same element",
    );
    expect(await first.evaluate((element) => element.matches(":focus"))).toBe(true);
    await page.getByRole("status").getByText("The roadmap has changed").waitFor();
    await writeBoard([item(2, "Two more regions")]);
    await first.waitFor({ state: "detached" });
    expect(await page.locator("#backlog").evaluate((element) => element.matches(":focus"))).toBe(true);
    expect(complaints).toEqual([]);

    const output = fileURLToPath(new URL("../output", import.meta.url));
    await mkdir(output, { recursive: true });
    await page.screenshot({ path: join(output, "roadmap-page.png") });
  });

  test("shows the first backlog by itself, and a refresh while it lasts", async () => {
    await using github = await startFakeGithub();
    github.items = [{ number: 7, title: "From the board" }];
    let response: () => void = () => undefined;
    let held = new Promise<void>((resolve) => {
      response = resolve;
    });
    github.gate = () => held;
    const tokenFile = join(directory, "token");
    await writeFile(tokenFile, "t");
    const website = await serve({
      source: {
        kind: "github",
        organization: "acme",
        number: 22,
        apiUrl: github.url,
        credentials: { kind: "token", tokenFile },
      },
      refreshIntervalMs: 1_000,
    });
    const page = await open(website.url);
    await page.getByText("read for the first time").waitFor();
    await page.getByText("Refreshing").waitFor();
    response();
    await page.getByRole("link", { name: "From the board" }).waitFor();
    await page.getByText("Refreshing").waitFor({ state: "hidden" });

    // The next scheduled refresh.
    held = new Promise<void>((resolve) => {
      response = resolve;
    });
    await page.getByText("Refreshing").waitFor();
    expect(await page.getByRole("link", { name: "From the board" }).isVisible()).toBe(true);
    response();
    held = Promise.resolve();
    await page.getByText("Refreshing").waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  });

  test("survives 429: waits as required, keeps what it shows, and goes on", async () => {
    const website = await serve({ rateLimit: { limit: 2, windowMs: 3_000 } });
    await filled(website);
    const page = await open(website.url);
    const statuses: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith("backlog-meta")) statuses.push(response.status());
    });
    await until("it was refused", () => statuses.includes(429));
    await until("it goes on", () => statuses.lastIndexOf(200) > statuses.indexOf(429));
    // One rejected request per window, not one every 200 ms.
    const refused = statuses.filter((status) => status === 429).length;
    expect(refused).toBeLessThanOrEqual(statuses.filter((status) => status === 200).length);
    expect(await page.getByText("Live updates are interrupted").isVisible()).toBe(false);
    await writeBoard([item(3, "After the limit")]);
    await page.getByRole("link", { name: "After the limit" }).waitFor();
  });

  test("survives 500: says so, keeps what it shows, and recovers", async () => {
    const website = await serve();
    await filled(website);
    const page = await open(website.url);
    await page.route("**/backlog-meta", (route) =>
      route.fulfill({ status: 500, contentType: "application/problem+json", body: "{}" }),
    );
    await page.getByText("Live updates are interrupted").last().waitFor();
    expect(await page.getByRole("status").textContent()).toBe("Live updates are interrupted");
    expect(await page.getByRole("link", { name: "A second region" }).isVisible()).toBe(true);
    await page.unroute("**/backlog-meta");
    await page.locator("#trouble").waitFor({ state: "hidden" });
    expect(await page.getByRole("status").textContent()).toBe("Live updates work again");
    await writeBoard([item(3, "After the trouble")]);
    await page.getByRole("link", { name: "After the trouble" }).waitFor();
  });

  test("is complete without script, and fits a phone", async () => {
    const long = "W".repeat(200);
    await writeBoard([item(1, long), item(2, "A second region", "Backlog")]);
    const website = await serve();
    await filled(website);
    const page = await open(website.url, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    expect(await page.getByRole("link", { name: long }).isVisible()).toBe(true);
    expect(await page.getByRole("heading", { level: 2 }).count()).toBe(3);
    const scripted = await open(website.url, { viewport: { width: 320, height: 640 } });
    const root = "document.documentElement";
    const overflow = await scripted.evaluate(`${root}.scrollWidth - ${root}.clientWidth`);
    expect(overflow).toBe(0);
    expect(complaints).toEqual([]);
  });
});
