/**
 * The page's style sheet. Text keeps a contrast of 4.5 to 1 in both schemes, marks 3 to 1 (WCAG 2.2 AA).
 * Text and breakpoints follow the font size that the reader has chosen.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #f6f7f9; --card: #ffffff; --text: #17202c; --quiet: #566172; --edge: #dde2e9; --link: #0b57c9;
  --accent: #0b57c9; --accent-back: #e7effc; --warn: #8a4b00; --warn-back: #fdf1dd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0e1218; --card: #171d26; --text: #e7ecf3; --quiet: #9ba8b8; --edge: #2b3442; --link: #82b7ff;
    --accent: #82b7ff; --accent-back: #172a44; --warn: #f0b254; --warn-back: #352711;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 1240px; padding: 0 20px 48px; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif;
}
a { color: var(--link); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: 4px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: -9999px; }
.skip:focus { left: 20px; top: 8px; padding: 6px 12px; background: var(--card); z-index: 1; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 24px; padding: 36px 0 20px; }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -0.02em; }
.freshness {
  margin: 0 0 0 auto; min-height: 30px; display: flex; align-items: center; color: var(--quiet);
  font-size: 0.875rem;
}
.badge {
  margin-left: 10px; display: inline-flex; align-items: center; gap: 8px; padding: 3px 12px;
  border-radius: 99px; font-weight: 600;
}
.refreshing { color: var(--accent); background: var(--accent-back); }
.trouble { color: var(--warn); background: var(--warn-back); }
.spinner {
  width: 12px; height: 12px; border: 2px solid; border-right-color: transparent; border-radius: 50%;
  animation: turn 0.9s linear infinite;
}
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) {
  .spinner { animation: none; }
  .changed { animation: none !important; }
}
[hidden] { display: none !important; }
#backlog {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18.75rem, 100%), 1fr)); gap: 28px 24px;
  align-items: start;
}
section { min-width: 0; }
h2 {
  margin: 0 0 12px; padding-bottom: 8px; border-bottom: 2px solid var(--edge); font-size: 1.0625rem;
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 10px; overflow-wrap: anywhere;
}
.count {
  color: var(--quiet); font-weight: 500; font-size: 0.875rem; font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
ul { list-style: none; margin: 0; padding: 0; }
.items { display: grid; gap: 10px; }
.item {
  padding: 12px 14px; background: var(--card); border: 1px solid var(--edge); border-radius: 10px;
  content-visibility: auto; contain-intrinsic-size: auto 76px;
}
.item p { margin: 0; }
.title { overflow-wrap: anywhere; }
/* The padding makes it 24 pixels high, as a target of a finger. */
.title a { color: var(--text); font-weight: 550; text-decoration-color: var(--edge); padding-block: 4px; }
.title a:hover { color: var(--link); text-decoration-color: currentColor; }
.number { color: var(--quiet); font-size: 0.875rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.labels { display: flex; flex-wrap: wrap; gap: 6px; margin-top: 8px; }
.label {
  display: inline-flex; align-items: center; gap: 6px; max-width: 100%; padding: 1px 10px 1px 8px;
  border: 1px solid var(--edge); border-radius: 12px; color: var(--quiet); font-size: 0.8125rem;
  overflow-wrap: anywhere;
}
.dot { flex: none; width: 9px; height: 9px; }
.dot circle { stroke: var(--quiet); stroke-width: 1; }
.empty {
  margin: 0; padding: 12px 14px; border: 1px dashed var(--edge); border-radius: 10px; color: var(--quiet);
}
.changed { animation: changed 2.5s ease-out; }
@keyframes changed { from { background: var(--accent-back); border-color: var(--accent); } }
@media (max-width: 40em) {
  body { padding: 0 14px 32px; }
  .top { padding: 22px 0 14px; }
  h1 { font-size: 1.625rem; }
  .freshness { margin-left: 0; width: 100%; }
}
@media print { .item { break-inside: avoid; } .freshness .badge { display: none; } }
`;
