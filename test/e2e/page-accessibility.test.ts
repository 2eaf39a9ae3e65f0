import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildOpsApp } from "../../src/app/ops/app.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { DaemonStatus, SinkView } from "../../src/exporter/policy/status/status-view.ts";
import type { Backlog } from "../../src/roadmap/board/backlog.ts";
import { pagePolicy, renderPage } from "../../src/roadmap/page/page.ts";
import { foundBrowser, launchBrowser } from "../support/daemon/browser.ts";
import { busyDaemon, condition, inFleet } from "../support/daemon/daemon-status.ts";
import { devices, keyboardFindings, pageFindings } from "../support/daemon/page-findings.ts";

/** The pages for a person with a screen reader, a touch screen, large text, a dark screen or no script. */
let browser: Browser;
const long = "a-name-without-end".repeat(8);

beforeAll(async () => {
  if (foundBrowser !== undefined) browser = await launchBrowser();
});
afterAll(() => browser?.close());

describe.skipIf(foundBrowser === undefined)("the status page", () => {
  let status: DaemonStatus;
  let healthy = true;
  let notReady: string[];
  let url: string;

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
  });
  afterAll(() => app.close());

  /** Ways in which a person may find the page; each returns the page's query. */
  const views: Record<string, () => string> = {
    "before the first policy": () => {
      notReady = ["the metrics store has not responded yet"];
      status = { ...status, policies: [] };
      return "";
    },
    "of many sinks, sorted": () => {
      status = busyDaemon(60, Date.now());
      return "?sort=-lag";
    },
    "with a shared error": () => {
      const message = `401 ${long}`;
      const conditions = [condition("Delivering", "False", "Suspended", message, Date.now())];
      const policies = status.policies.map((policy) => ({
        ...policy,
        sinks: policy.sinks.map((sink) => ({ ...sink, conditions })),
      }));
      status = { ...status, policies };
      return "";
    },
    busy: () => {
      status = { ...status, gateway: { programs: 3, refused: 2, problem: null } };
      return "";
    },
    filtered: () => "?health=up-to-date&filter=mimir",
    "with nothing that matches": () => "?filter=none",
    "in trouble, with long names": () => {
      const longer = (sink: SinkView): SinkView => ({
        ...sink,
        name: `${sink.name}${long}`,
        endpoint: `https://example.com/${long}`,
        delivered: 1e15,
        lastError: { at: new Date().toISOString(), message: `${long} ${long}` },
      });
      status = {
        ...inFleet(status, long),
        state: "stopping",
        degraded: [long, "Redis does not respond"],
        gateway: { programs: 1, refused: 0, problem: long },
        policies: status.policies.map((policy) => ({
          ...policy,
          plane: long,
          namespace: `${policy.namespace}${long}`,
          sinks: policy.sinks.map(longer),
        })),
      };
      return "";
    },
  };

  test.each(Object.entries(devices))("is accessible on a %s, in light and dark", async (_, device) => {
    await using context = await browser.newContext(device);
    const visited = await context.newPage();
    const findings: Record<string, string[]> = {};
    for (const [name, view] of Object.entries(views)) {
      status = busyDaemon(20, Date.now());
      notReady = [];
      await visited.goto(`${url}/${view()}`);
      await visited.getByText("renewed").waitFor();
      findings[name] = await pageFindings(visited);
    }
    await visited.locator("summary").first().click();
    findings["with open details"] = await pageFindings(visited);
    findings["by keyboard"] = await keyboardFindings(visited);
    healthy = false;
    await visited.locator("#renewal.stale").waitFor();
    findings["without response"] = await pageFindings(visited);

    healthy = true;
    status = busyDaemon(20, Date.now());
    await visited.route(`${url}/`, async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      const policy = headers["content-security-policy"]!.replace(/script-src [^;]+/, "script-src 'none'");
      await route.fulfill({ response, headers: { ...headers, "content-security-policy": policy } });
    });
    await visited.goto(url);
    expect(await visited.getByRole("button", { name: "Pause" }).isVisible()).toBe(false);
    findings["without a script"] = await pageFindings(visited);
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  });
});

describe.skipIf(foundBrowser === undefined)("the roadmap page", () => {
  const pace = { idleMs: 200, refreshingMs: 100 };
  const idle = { updatedAt: 1_700_000_000_000, isRefreshing: false };
  function board(...items: Backlog["items"]): Backlog {
    const statuses = ["In progress", "Planned", long];
    const versions = { format: 1, board: "b", boardVersion: "v", contentId: "c" } as const;
    return { meta: { ...versions, updatedAt: idle.updatedAt, readAt: idle.updatedAt, statuses }, items };
  }
  const labelled = (status: string, title: string) => ({
    ...{ number: 1, title, status },
    url: `https://example.com/${title}`,
    labels: [
      { name: "security", color: "d93f0b" },
      { name: title, color: null },
    ],
  });
  const states = {
    "before the first backlog": renderPage({ updatedAt: null, isRefreshing: true }, undefined, pace),
    empty: renderPage(idle, board(), pace),
    refreshing: renderPage(
      { ...idle, isRefreshing: true },
      board(labelled("Planned", "Passkeys"), labelled("In progress", "A second region")),
      pace,
    ),
    "with long names": renderPage(idle, board(labelled("Planned", long), labelled(long, "Jobs")), pace),
  };

  test.each(Object.entries(devices))("is accessible on a %s, in light and dark", async (_, device) => {
    await using context = await browser.newContext({ ...device, reducedMotion: "reduce" });
    const page = await context.newPage();
    let markup = "";
    let policy = pagePolicy;
    await page.route("**/roadmap", (route) => {
      const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
      return route.fulfill({ headers, body: markup });
    });
    await page.route("**/backlog-meta", (route) => route.fulfill({ status: 503, body: "" }));
    const findings: Record<string, string[]> = {};
    for (const [name, rendered] of Object.entries(states)) {
      markup = rendered;
      await page.goto("http://roadmap.example/roadmap");
      findings[name] = await pageFindings(page);
      expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    }
    findings["by keyboard"] = await keyboardFindings(page);
    await page.locator("#trouble").waitFor();
    findings["in trouble"] = await pageFindings(page);
    policy = pagePolicy.replace(/script-src [^;]+/, "script-src 'none'");
    await page.goto("http://roadmap.example/roadmap");
    findings["without a script"] = await pageFindings(page);
    expect(Object.entries(findings).filter(([, found]) => found.length > 0)).toEqual([]);
  });
});
