/**
 * The page's style sheet. Text and controls keep a contrast of 4.5 to 1 in both schemes (WCAG 2.2 AA). Text
 * and breakpoints follow the font size that the reader has chosen.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #f4f6f8; --card: #ffffff; --text: #18202b; --quiet: #55606f; --edge: #d8dee6; --link: #0a58ca;
  --failing: #b42318; --failing-back: #fdeceb;
  --retrying: #8a4b00; --retrying-back: #fdf1dd;
  --catching-up: #0a58ca; --catching-up-back: #e6effc;
  --up-to-date: #176b32; --up-to-date-back: #e5f4e9;
  --paused: #55606f; --paused-back: #eceff3;
  --starting: #55606f; --starting-back: #eceff3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0e1217; --card: #161b22; --text: #e6ebf1; --quiet: #9aa7b5; --edge: #2b333d; --link: #74b3ff;
    --failing: #ff9189; --failing-back: #3b1d1e;
    --retrying: #f0b254; --retrying-back: #352711;
    --catching-up: #74b3ff; --catching-up-back: #172a44;
    --up-to-date: #58cf8b; --up-to-date-back: #14301f;
    --paused: #9aa7b5; --paused-back: #242b34;
    --starting: #9aa7b5; --starting-back: #242b34;
  }
}
* { box-sizing: border-box; }
/* Focus must not hide behind the table's sticky head. */
html { scroll-padding-top: 4rem; }
body {
  margin: 0 auto; max-width: 1500px; padding: 0 20px 24px; background: var(--back); color: var(--text);
  font: 0.875rem/1.45 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word;
}
/* At least 24 pixels high, as a target of a finger. */
a { color: var(--link); padding-block: 5px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px; }
h1 { margin: 0; font-size: 1.25rem; letter-spacing: -0.01em; }
h2 { margin: 0; font-size: 1rem; }
bdi { overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.top { display: flex; flex-wrap: wrap; align-items: center; gap: 10px 24px; padding: 14px 0 10px; }
.top form { display: flex; align-items: center; gap: 8px; flex: 1 1 320px; min-width: 0; max-width: 640px; }
.top label { color: var(--quiet); white-space: nowrap; }
input[type="search"] {
  flex: 1; min-width: 0; min-height: 34px; padding: 0 10px; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--quiet); border-radius: 6px;
}
::placeholder { color: var(--quiet); opacity: 1; }
button {
  min-height: 34px; padding: 0 12px; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--quiet); border-radius: 6px; cursor: pointer;
}
.renewal {
  margin-left: auto; display: flex; flex-wrap: wrap; align-items: center; gap: 10px; color: var(--quiet);
}
.renewal .stale { color: var(--failing); font-weight: 600; }
.identity {
  display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; margin: 0 0 14px; color: var(--quiet);
}
.banners {
  margin: 0 0 14px; padding: 10px 14px 10px 30px; border: 1px solid var(--retrying); border-radius: 8px;
  background: var(--retrying-back); color: var(--retrying);
}
.tiles {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(8.75rem, 1fr)); gap: 12px;
  margin-bottom: 22px;
}
.tile {
  padding: 12px 14px; background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  min-width: 0;
}
.tile.wide { grid-column: span 2; }
.tile h2 { font-size: 0.8125rem; font-weight: 500; color: var(--quiet); }
.figure { margin: 0; font-size: 1.625rem; font-weight: 650; letter-spacing: -0.02em; line-height: 1.3; }
.note { margin: 2px 0 0; color: var(--quiet); font-size: 0.8125rem; }
.bar {
  display: block; width: 100%; height: 8px; margin: 4px 0 8px; border-radius: 4px; background: var(--edge);
}
.bar .failing { fill: var(--failing); } .bar .retrying { fill: var(--retrying); }
.bar .catching-up { fill: var(--catching-up); } .bar .up-to-date { fill: var(--up-to-date); }
.bar .paused, .bar .starting { fill: var(--paused); }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin: 0; padding: 0; list-style: none; }
.pill, .chip {
  display: inline-block; padding: 2px 9px; border-radius: 999px; font-size: 0.8125rem; font-weight: 600;
  white-space: nowrap;
}
.chip { text-decoration: none; border: 1px solid transparent; min-height: 24px; }
.chip:hover { border-color: currentColor; }
.chip[aria-current] { border-color: currentColor; text-decoration: underline; }
.failing { color: var(--failing); background: var(--failing-back); }
.retrying { color: var(--retrying); background: var(--retrying-back); }
.catching-up { color: var(--catching-up); background: var(--catching-up-back); }
.up-to-date { color: var(--up-to-date); background: var(--up-to-date-back); }
.paused, .starting { color: var(--paused); background: var(--paused-back); }
.lost { color: var(--failing); }
.heading { display: flex; align-items: baseline; gap: 12px; margin: 0 0 8px; }
.count { margin: 0; color: var(--quiet); }
.empty {
  padding: 26px; text-align: center; color: var(--quiet); background: var(--card);
  border: 1px dashed var(--edge); border-radius: 10px;
}
table {
  width: 100%; border-collapse: separate; border-spacing: 0; background: var(--card);
  border: 1px solid var(--edge); border-radius: 10px; margin-bottom: 22px;
}
th, td { padding: 8px 12px; text-align: left; vertical-align: top; font-weight: 400; }
thead th {
  position: sticky; top: 0; z-index: 1; background: var(--card); color: var(--quiet);
  font-size: 0.8125rem; font-weight: 500; border-bottom: 1px solid var(--edge); vertical-align: bottom;
}
thead a { display: inline-block; min-width: 24px; color: inherit; text-decoration: none; }
thead a:hover, thead [aria-sort] a { text-decoration: underline; }
thead th:first-child { border-top-left-radius: 10px; } thead th:last-child { border-top-right-radius: 10px; }
thead th:nth-child(2) { width: 30%; }
thead .number { width: 1%; white-space: normal; }
tbody th { min-width: 290px; }
tbody tr + tr > * { border-top: 1px solid var(--edge); }
.number { text-align: right; white-space: nowrap; }
.name { font-weight: 600; }
.policy { color: var(--quiet); }
.address { color: var(--quiet); font-size: 0.8125rem; overflow-wrap: anywhere; }
.flow span { display: inline-block; min-width: 64px; margin-right: 8px; vertical-align: top; }
.spark { width: 120px; height: 24px; overflow: visible; color: var(--catching-up); }
.spark .line { fill: none; stroke: currentColor; stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.spark .area { fill: currentColor; opacity: 0.15; }
.tile .spark { width: 100%; height: 30px; }
.error { min-width: 200px; max-width: 380px; font-size: 0.8125rem; }
.error .message {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden;
}
.ago { color: var(--quiet); }
summary { cursor: pointer; list-style: none; min-height: 24px; padding-left: 14px; text-indent: -14px; }
summary::-webkit-details-marker { display: none; }
/* The second content is silent; browsers that do not know it keep the first. */
summary::before {
  content: "▸"; content: "▸" / ""; display: inline-block; width: 14px; text-indent: 0; color: var(--quiet);
}
details[open] summary::before { content: "▾"; content: "▾" / ""; }
summary:hover .name { text-decoration: underline; }
th .address { display: block; padding-left: 14px; }
dl {
  margin: 4px 0 8px 14px; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px;
  font-size: 0.8125rem;
}
/* Wider than its column: below the figures of its row, as far as the errors, there is room. */
@media (min-width: 64em) { tbody dl { margin: 34px -280px 8px 14px; position: relative; } }
dt { color: var(--quiet); max-width: 220px; } dd { margin: 0; overflow-wrap: anywhere; }
.policies {
  margin: 0 0 22px; padding: 0; list-style: none; background: var(--card); border: 1px solid var(--edge);
  border-radius: 10px;
}
.policies li { padding: 8px 12px; } .policies li + li { border-top: 1px solid var(--edge); }
.policies .name { margin: 0 8px; } .policies p { margin: 4px 0 0; } .fault { white-space: pre-line; }
footer { display: flex; flex-wrap: wrap; gap: 0 18px; color: var(--quiet); }
@media (max-width: 81.25em) {
  th, td { padding: 8px; }
  .state .pill { white-space: normal; border-radius: 12px; }
  tbody th { min-width: 200px; }
  .error { min-width: 140px; }
  .flow span { display: block; margin: 0; }
  .spark { width: 80px; }
}
@media (max-width: 47.5em) {
  body { padding: 0 12px 20px; }
  .top { gap: 10px; }
  tbody th { min-width: 0; }
  .top form { flex-basis: 100%; max-width: none; order: 1; }
  .top label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .tiles { grid: auto-flow dense / repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 8px; }
  .tile.wide { grid-column: 1 / -1; }
  table, tbody { display: block; border: 0; background: none; }
  thead { display: block; margin-bottom: 6px; }
  thead tr { display: flex; flex-wrap: wrap; align-items: center; gap: 0 14px; }
  thead tr::before {
    content: "Sort by:"; content: "Sort by:" / ""; color: var(--quiet); font-size: 0.8125rem;
  }
  thead th, thead th:nth-child(2), thead .number {
    position: static; width: auto; padding: 0; border: 0; background: none;
  }
  tbody tr {
    display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: 6px 12px;
    margin-bottom: 8px; padding: 10px 12px; background: var(--card);
    border: 1px solid var(--edge); border-radius: 10px;
  }
  tbody tr + tr > * { border-top: 0; }
  tbody tr > * { padding: 0; }
  .state, tbody tr > th, .error, .flow { grid-column: 1 / -1; }
  .flow { order: 1; } .error { order: 2; }
  td.number { text-align: left; white-space: normal; }
  td.number::before {
    content: attr(data-label); content: attr(data-label) / ""; display: block; color: var(--quiet);
    font-size: 0.75rem;
  }
  td.flow { display: grid; grid-template-columns: max-content 1fr; align-items: center; gap: 0 10px; }
  td.flow::before { display: none; }
  td.flow .spark { width: 100%; }
  .error { max-width: none; }
  .policies .name { display: block; margin: 4px 0 0; }
  .error:empty { display: none; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: 4px; }
}
@media (pointer: coarse) {
  button, input[type="search"] { min-height: 40px; }
  /* Safari zooms into a field of smaller text. */
  input[type="search"] { font-size: 1rem; }
  .chip { padding: 6px 12px; }
  summary, footer a { padding-block: 8px; }
}
`;
