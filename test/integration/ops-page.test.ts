import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildOpsApp } from "../../src/app/ops/app.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { DaemonStatus, SinkView } from "../../src/exporter/policy/status/status-view.ts";
import { foundBrowser, launchBrowser } from "../support/daemon/browser.ts";
import { busyDaemon, condition } from "../support/daemon/daemon-status.ts";

/** The status page in a real browser. Without a browser, the tests of the server-side rendering still run. */
describe.skipIf(foundBrowser === undefined)("the status page in a browser", () => {
  let browser: Browser;
  let page: Page;
  let status: DaemonStatus;
  let healthy: boolean;
  let notReady: string[];
  let url: string;
  const complaints: string[] = [];

  const app = buildOpsApp({
    listenHost: "127.0.0.1",
    hosts: [],
    status: () => {
      if (!healthy) throw new Error("switched off by the test");
      return status;
    },
    readiness: () => ({ ready: notReady.length === 0, reasons: notReady }),
    degraded: () => [],
    registries: [],
    nowMs: () => Date.now(),
    log: silentLogger,
  });

  beforeAll(async () => {
    url = await app.listen({ port: 0, host: "127.0.0.1" });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
  });
  beforeEach(async () => {
    status = busyDaemon(40, Date.now());
    healthy = true;
    notReady = [];
    complaints.length = 0;
    page = await browser.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  /** The same daemon with each sink changed. */
  function withSinks(change: (sink: SinkView) => SinkView): DaemonStatus {
    return {
      ...status,
      policies: status.policies.map((policy) => ({ ...policy, sinks: policy.sinks.map(change) })),
    };
  }

  const row = () => page.locator('tr[data-key="directory/payments/payments-metrics/mimir"]');

  test("renews the numbers, and leaves an open detail and the row itself alone", async () => {
    await page.goto(url);
    await row().locator("summary").click();
    await row().evaluate((element) => Object.assign(element, { mark: "same element" }));
    expect(await row().textContent()).toContain("31m");
    status = withSinks((sink) => ({ ...sink, lagMs: 45 * 60_000 }));
    await row().getByText("45m", { exact: true }).waitFor();
    expect(await row().locator("dl").isVisible()).toBe(true);
    expect(await row().evaluate((element) => (element as unknown as { mark?: string }).mark)).toBe(
      "same element",
    );
    expect(complaints).toEqual([]);
  });

  test("a sink that gets into trouble moves to the top, with the focus", async () => {
    await page.goto(url);
    await page.getByText("renewed").waitFor();
    const last = page.locator("tbody tr").last();
    const key = await last.getAttribute("data-key");
    await last.locator("summary").focus();
    status = withSinks((sink) => ({
      ...sink,
      conditions: sink.conditions.map((one) => ({ ...one, status: "False", reason: "Suspended" })),
    }));
    status = {
      ...status,
      policies: [...status.policies].map((policy) => ({
        ...policy,
        sinks: policy.sinks.map((sink) =>
          `directory/${policy.namespace}/${policy.name}/${sink.name}` === key
            ? { ...sink, lagMs: 1e9 }
            : sink,
        ),
      })),
    };
    await page.locator(`tbody tr:first-child[data-key="${key}"] summary:focus`).waitFor();
    expect(await page.title()).toBe("(40) telemetryd");
    expect(await page.locator("tbody tr").count()).toBe(40);
    expect(complaints).toEqual([]);
  });

  test("filters as one types, and keeps the filter in the address", async () => {
    await page.goto(url);
    await page.getByLabel("Filter sinks").fill("payments vendor");
    await page.getByText("clear the filter").waitFor();
    const keys = await page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((one) => one.getAttribute("data-key")));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.every((key) => key?.includes("payments") && key.endsWith("vendor"))).toBe(true);
    await page.reload();
    expect(await page.locator("tbody tr").count()).toBe(keys.length);
  });

  test("sorts by a click, and keeps that over refreshes, a step back and a reload", async () => {
    const lags = () => page.locator('tbody td[data-label="Lag"]').allTextContents();
    const heading = page.getByRole("columnheader", { name: "Lag" });
    await page.goto(url);
    const usual = await lags();
    await heading.getByRole("link").click();
    await page.locator('th[aria-sort="descending"]').waitFor();
    expect((await lags())[0]).toBe("9h");
    status = withSinks((sink) => ({
      ...sink,
      ...(sink.lagMs === undefined ? {} : { lagMs: sink.lagMs + 3_600_000 }),
    }));
    await page.getByText("10h", { exact: true }).waitFor();
    expect((await lags())[0]).toBe("10h");
    expect(await page.locator("thead a:focus").textContent()).toBe("Lag");
    await heading.getByRole("link").click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    expect((await lags()).at(-1)).toBe("10h");
    await page.reload();
    expect((await lags()).at(-1)).toBe("10h");
    await page.goBack();
    await page.goBack();
    await page.locator("thead:not(:has([aria-sort]))").waitFor();
    expect((await lags()).length).toBe(usual.length);
    expect((await lags())[0]).not.toBe("10h");
    expect(complaints).toEqual([]);
  });

  test("of 200 sinks it is one screen: their error once, and all of them at a click", async () => {
    status = busyDaemon(200, Date.now());
    const failing = [condition("Delivering", "False", "Suspended", "401: invalid API key", Date.now())];
    status = withSinks(
      (sink) => ({ ...sink, conditions: failing, lastError: undefined }) as unknown as SinkView,
    );
    status = { ...status, policies: status.policies.filter(({ sinks }) => sinks.length > 0) };
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.goto(url);
    expect(await page.getByText("401: invalid API key").count()).toBe(1);
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(800);
    await page.getByRole("link", { name: "200 sinks" }).click();
    await page.locator("tbody tr").nth(199).waitFor();
    await page.getByRole("link", { name: "clear the filter" }).click();
    await page.locator("table").waitFor({ state: "detached" });
  });

  test("says when its numbers are old, and recovers", async () => {
    await page.goto(url);
    await page.getByText("renewed").waitFor();
    healthy = false;
    await page.locator("#renewal", { hasText: "what you see is old" }).waitFor();
    healthy = true;
    await page.locator("#renewal", { hasText: "renewed" }).waitFor();
  });

  test("can be paused", async () => {
    await page.goto(url);
    await page.getByRole("button", { name: "Pause" }).click();
    status = withSinks((sink) => ({ ...sink, lagMs: 45 * 60_000 }));
    await page.waitForTimeout(2_500);
    expect(await row().textContent()).toContain("31m");
    await page.getByRole("button", { name: "Resume" }).click();
    await row().getByText("45m", { exact: true }).waitFor();
  });

  test("hostile names and messages stay text", async () => {
    const hostile = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    status = withSinks((sink) => ({
      ...sink,
      name: hostile,
      lastError: { at: new Date().toISOString(), message: hostile },
    }));
    await page.goto(url);
    await page.getByText("renewed").waitFor();
    await page.waitForTimeout(2_500);
    expect(await page.title()).toBe("(4) telemetryd");
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("works without a script: everything is there, and the filter is a form", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(url);
    expect(await plain.locator("tbody tr").count()).toBe(40);
    await plain.getByLabel("Filter sinks").fill("vendor");
    await plain.getByRole("button", { name: "Filter" }).click();
    expect(new URL(plain.url()).search).toBe("?filter=vendor");
    const found = await plain.locator("tbody tr").count();
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThan(40);
    await plain.getByRole("link", { name: "clear the filter" }).click();
    // A click waits for the new page's beginning only.
    await plain.waitForLoadState("load");
    expect(await plain.locator("tbody tr").count()).toBe(40);
    await context.close();
  });

  test.each([320, 760, 1_024])("fits a width of %d", async (width) => {
    status = withSinks((sink) => ({ ...sink, endpoint: `https://example.com/${"long".repeat(60)}` }));
    await page.setViewportSize({ width, height: 800 });
    await page.goto(url);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });

  test("a row that leaves hands its focus to the heading", async () => {
    await page.goto(url);
    await row().locator("summary").focus();
    status = { ...status, policies: status.policies.filter(({ namespace }) => namespace !== "payments") };
    await page.locator("h2#sinks:focus").waitFor();
  });

  test("announces news, trouble and its end, and no other update", async () => {
    const news = page.getByRole("status");
    await page.goto(url);
    await page.getByText("renewed").waitFor();
    status = withSinks((sink) => ({ ...sink, lagMs: 45 * 60_000 }));
    await row().getByText("45m", { exact: true }).waitFor();
    expect(await news.textContent()).toBe("");
    await page.getByLabel("Filter sinks").fill("no such sink");
    await news.getByText("0 of 40 sinks shown, 4 in trouble").waitFor();
    healthy = false;
    await news.getByText("what you see is old").waitFor();
    healthy = true;
    await news.getByText("renewed again").waitFor();
  });
});
