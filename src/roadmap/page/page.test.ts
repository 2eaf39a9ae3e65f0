import { expect, test } from "vitest";
import type { Backlog } from "../board/backlog.ts";
import { defaultPace, pagePolicy, renderPage } from "./page.ts";

function backlog(items: Backlog["items"], statuses = ["Planned", "Backlog"]): Backlog {
  return {
    meta: {
      format: 1,
      updatedAt: Date.UTC(2026, 10, 1, 9, 30),
      readAt: 0,
      board: "b",
      boardVersion: "v",
      statuses,
      contentId: "c",
    },
    items,
  };
}

const item = { number: 3, title: "T", url: "https://example.com/3", labels: [], status: "Planned" };
const status = { updatedAt: Date.UTC(2026, 10, 1, 9, 30), isRefreshing: false };

test("shows every status in order, with its items, also where there are none", () => {
  const page = renderPage(status, backlog([item]), defaultPace);
  expect(page.indexOf("Planned")).toBeLessThan(page.indexOf('<h2 id="status-1-name"><bdi>Backlog'));
  expect(page).toContain('<a href="https://example.com/3"><bdi>T</bdi></a> <span class="number">#3</span>');
  expect(page).toContain("Nothing here right now.");
  expect(page).toContain('<time datetime="2026-11-01T09:30:00.000Z">2026-11-01 09:30 UTC</time>');
});

test("what people write cannot become markup", () => {
  const hostile = '"><script>alert(1)</script>';
  const labels = [{ name: hostile, color: "ff0000" }];
  const page = renderPage(
    status,
    backlog([{ ...item, title: hostile, labels, status: hostile }], [hostile]),
    defaultPace,
  );
  expect(page.split("<script>").length).toBe(2);
  expect(page).toContain("&lt;script&gt;alert(1)");
});

test("a refresh shows without script too, and a page without a backlog says what to expect", () => {
  expect(renderPage({ ...status, isRefreshing: true }, backlog([]), defaultPace)).toContain(
    '<span class="badge refreshing" id="refreshing">',
  );
  expect(renderPage(status, backlog([]), defaultPace)).toContain('id="refreshing" hidden>');
  const empty = renderPage({ updatedAt: null, isRefreshing: true }, undefined, defaultPace);
  expect(empty).toContain("read for the first time");
  expect(renderPage(undefined, undefined, defaultPace)).toContain("Not read yet");
});

test("the policy lets only the page's own style and script run", () => {
  expect(pagePolicy).toMatch(
    /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'/,
  );
  expect(pagePolicy).toContain("frame-ancestors 'none'");
});
