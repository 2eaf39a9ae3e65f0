/**
 * The page's script, as plain browser JavaScript. It polls the status operation: fast while a refresh runs,
 * slowly otherwise, after `Retry-After` on a 429, with growing pauses after other errors, and never while the
 * page is hidden. When `updatedAt` has changed, it fetches this page, rendered and escaped by the server, and
 * replaces the list if it differs. Screen readers announce a changed list, trouble and its end.
 */
export const pageScript = `
"use strict";
const root = document.documentElement;
const idleMs = Number(root.dataset.idleMs), refreshingMs = Number(root.dataset.refreshingMs);
const longestMs = 120000;
const refreshing = document.getElementById("refreshing"), trouble = document.getElementById("trouble");
const news = document.getElementById("news");
let shownAt = document.getElementById("updated").dataset.updatedAt, failures = 0, timer, running = false;

async function poll() {
  clearTimeout(timer);
  if (running) return;
  running = true;
  let pauseMs;
  try { pauseMs = await ask(); } catch { pauseMs = failed(); }
  running = false;
  if (!document.hidden) timer = setTimeout(poll, pauseMs * (1 + Math.random() / 10));
}
async function ask() {
  const signal = AbortSignal.timeout(10000);
  const response = await fetch("api/v1/roadmap/backlog-meta", { cache: "no-store", signal });
  if (response.status === 429) {
    const seconds = Number(response.headers.get("Retry-After"));
    return Math.max(refreshingMs, seconds * 1000 || idleMs);
  }
  if (!response.ok) return failed();
  const status = await response.json();
  const updatedAt = String(status.updatedAt ?? "");
  if (updatedAt !== shownAt) { await renew(); shownAt = updatedAt; }
  failures = 0;
  if (!trouble.hidden) news.textContent = "Live updates work again";
  show(trouble, false);
  show(refreshing, status.isRefreshing);
  return status.isRefreshing ? refreshingMs : idleMs;
}
function failed() {
  failures++;
  // A single failure is not shown.
  if (failures === 2) news.textContent = trouble.textContent;
  show(trouble, failures > 1);
  if (failures > 1) show(refreshing, false);
  return Math.min(longestMs, refreshingMs * 2 ** failures);
}
async function renew() {
  const response = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(30000) });
  if (!response.ok) throw new Error("HTTP " + response.status);
  const next = new DOMParser().parseFromString(await response.text(), "text/html");
  const list = next.getElementById("backlog"), updated = next.getElementById("updated");
  if (list === null || updated === null) throw new Error("a response of another program");
  swap(document.getElementById("backlog"), document.importNode(list, true));
  document.getElementById("updated").replaceWith(document.importNode(updated, true));
  tellAge();
}
/**
 * Unchanged items keep their elements, and so focus, selection and scroll position. The list inherits the
 * focus of an item that is gone.
 */
function swap(old, next) {
  if (old.dataset.content === next.dataset.content) return;
  const known = new Map();
  for (const item of old.querySelectorAll("[data-key]")) known.set(item.dataset.key, item);
  const isFirst = known.size === 0;
  const focused = document.activeElement?.closest("[data-key]")?.dataset.key;
  for (const item of next.querySelectorAll("[data-key]")) {
    const same = known.get(item.dataset.key);
    if (same !== undefined) same.classList.remove("changed");
    const isSame = same?.isEqualNode(item) && same.closest("section").id === item.closest("section").id;
    if (isSame) item.replaceWith(same);
    else if (!isFirst) item.classList.add("changed");
  }
  old.replaceChildren(...next.childNodes);
  old.dataset.content = next.dataset.content;
  news.textContent = "The roadmap has changed";
  if (focused === undefined) return;
  const item = [...old.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
  (item?.querySelector("a") ?? old).focus({ preventScroll: true });
}
function show(element, isShown) { if (element.hidden === isShown) element.hidden = !isShown; }
const ages = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
function tellAge() {
  const time = document.querySelector("#updated time");
  if (time === null) return;
  const seconds = Math.max(0, (Date.now() - Date.parse(time.dateTime)) / 1000);
  const [size, unit] = seconds < 3600 ? [60, "minute"] : seconds < 86400 ? [3600, "hour"] : [86400, "day"];
  const text = seconds < 60 ? "just now" : ages.format(-Math.floor(seconds / size), unit);
  if (time.textContent !== text) time.textContent = text;
  time.title = new Date(time.dateTime).toLocaleString();
}
tellAge();
setInterval(tellAge, 20000);
document.addEventListener("visibilitychange", () => { if (!document.hidden) poll(); });
timer = setTimeout(poll, Math.min(idleMs, 1000));
`;
