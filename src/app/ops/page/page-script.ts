/**
 * The page's script, as plain browser JavaScript. Every two seconds it fetches the live part, rendered and
 * escaped by the server, and updates only the differences: open details, the selection, the focus and the
 * scroll position stay. A hidden page does not poll. Screen readers announce what the server words as news,
 * trouble and its end, not every update. The script knows nothing about sinks.
 */
export const pageScript = `
"use strict";
const live = document.getElementById("live");
const note = document.getElementById("renewal");
const news = document.getElementById("news");
const pause = document.getElementById("pause");
const filter = document.getElementById("filter");
let paused = false, turn = 0, timer, isStale = false, lastNews = live.dataset.news;

async function renew() {
  clearTimeout(timer);
  const mine = ++turn;
  try {
    const response = await fetch("live" + location.search, { signal: AbortSignal.timeout(10000) });
    if (!response.ok) throw new Error("HTTP " + response.status);
    const text = await response.text();
    if (mine !== turn) return;
    const next = new DOMParser().parseFromString(text, "text/html").getElementById("live");
    if (next === null) throw new Error("a response of another program");
    const focused = document.activeElement;
    change(live, next);
    keepFocus(focused);
    document.title = live.dataset.title;
    const news = [isStale && "renewed again", live.dataset.news !== lastNews && live.dataset.news];
    announce(news.filter(Boolean).join("; "));
    lastNews = live.dataset.news;
    say("renewed " + new Date().toLocaleTimeString(), false);
  } catch (error) {
    if (mine !== turn) return;
    const text = "no response since " + new Date(lastRenewal).toLocaleTimeString() + "; what you see is old";
    if (!isStale) announce(text);
    say(text, true);
  }
  plan();
}
let lastRenewal = Date.now();
function say(text, stale) {
  if (!stale) lastRenewal = Date.now();
  isStale = stale;
  note.classList.toggle("stale", stale);
  if (note.textContent !== text) note.textContent = text;
}
function announce(text) { if (text !== "") news.textContent = text; }
/** An element that was moved has lost its focus; one that is gone leaves it to the heading of the list. */
function keepFocus(element) {
  if (element === document.activeElement) return;
  const heir = element.isConnected ? element : document.getElementById("sinks");
  heir.focus({ preventScroll: true });
}
function plan() {
  clearTimeout(timer);
  if (!paused && !document.hidden) timer = setTimeout(renew, 2000);
}
function change(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== next.nodeType || old.nodeName !== next.nodeName) return old.replaceWith(next);
  if (old.nodeType !== Node.ELEMENT_NODE) { old.nodeValue = next.nodeValue; return; }
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && name !== "open") old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const keyed = new Map();
  for (const child of old.children) if (child.dataset.key !== undefined) keyed.set(child.dataset.key, child);
  let at = old.firstChild;
  for (const want of [...next.childNodes]) {
    const key = want.dataset?.key;
    const known = key === undefined ? at : keyed.get(key);
    if (known === undefined || known === null) old.insertBefore(want, at);
    else {
      if (known === at) at = at.nextSibling; else old.insertBefore(known, at);
      change(known, want);
    }
  }
  while (at !== null) { const gone = at; at = at.nextSibling; gone.remove(); }
}
filter.addEventListener("input", () => {
  const parameters = new URLSearchParams(location.search);
  if (filter.value.trim() === "") parameters.delete("filter"); else parameters.set("filter", filter.value);
  history.replaceState(null, "", parameters.size > 0 ? "?" + parameters : location.pathname);
  clearTimeout(timer);
  timer = setTimeout(renew, 150);
});
/** The page's own links change the address and the live part, not the scroll position. */
live.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="./"]');
  if (link === null || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  follow();
});
window.addEventListener("popstate", follow);
function follow() {
  filter.value = new URLSearchParams(location.search).get("filter") ?? "";
  renew();
}
filter.form.addEventListener("submit", (event) => event.preventDefault());
pause.hidden = false;
pause.addEventListener("click", () => {
  paused = !paused;
  pause.textContent = paused ? "Resume" : "Pause";
  if (paused) { turn++; clearTimeout(timer); say("paused", false); announce("paused"); } else renew();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden && !paused) renew(); });
renew();
`;
