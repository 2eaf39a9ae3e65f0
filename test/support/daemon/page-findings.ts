import axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";

/** The devices that a page is tried on. */
export const devices = {
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} satisfies Record<string, BrowserContextOptions>;

/** WCAG 2.0 to 2.2, levels A and AA, and axe's best practices. */
const axeOptions: axe.RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
  resultTypes: ["violations"],
};

/** All that differs between a light and a dark page. */
const colourOptions: axe.RunOptions = {
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

/**
 * What is wrong with the page as it is now, for a person with a screen reader, a touch screen, large text or a
 * dark screen; empty if nothing is. Axe and the style sheets come through the DevTools protocol, so the page's
 * security policy stays as strict as it is.
 */
export async function pageFindings(page: Page): Promise<string[]> {
  const findings: string[] = [];
  const note = (mode: string, found: string[]) => findings.push(...found.map((one) => `${mode}: ${one}`));
  await page.evaluate(axe.source);
  await page.emulateMedia({ colorScheme: "dark" });
  note("dark", await page.evaluate(axeRun(colourOptions)));
  await page.emulateMedia({ colorScheme: "light" });
  note("light", await page.evaluate(axeRun(axeOptions)));
  note("layout", await page.evaluate(layoutRun));
  note("targets", await page.evaluate(targetRun));

  // WCAG 2.2, 1.4.12: text spacing.
  await page.evaluate(`document.adoptedStyleSheets = [new CSSStyleSheet()];
    document.adoptedStyleSheets[0].replaceSync(
      "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }" +
      "p { margin-bottom: 2em !important }")`);
  note("spaced text", await page.evaluate(layoutRun));
  await page.evaluate("document.adoptedStyleSheets = []");

  // WCAG 2.2, 1.4.4: text of twice the size.
  const session = await page.context().newCDPSession(page);
  await session.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
  note("large text", await page.evaluate(layoutRun));
  await session.send("Page.setFontSizes", { fontSizes: { standard: 16, fixed: 13 } });
  await session.detach();
  return findings;
}

/**
 * Walks the page with the Tab key: each control is reached, and shows its focus. Returns the controls of which
 * that is not true.
 */
export async function keyboardFindings(page: Page): Promise<string[]> {
  const controls: number = await page.evaluate(`document.activeElement.blur();
    globalThis.unreached = new Set([...document.querySelectorAll("a, button, input, summary")].filter(
      (one) => one.type !== "hidden" && one.checkVisibility()));
    unreached.size`);
  const findings: string[] = [];
  for (let pressed = 0; pressed <= controls; pressed++) {
    await page.keyboard.press("Tab");
    const found: string = await page.evaluate(`(() => {
      const one = document.activeElement, { outlineStyle, outlineWidth } = getComputedStyle(one);
      unreached.delete(one);
      const isShown = one === document.body || (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2);
      return isShown ? "" : "no visible focus: " + one.outerHTML.slice(0, 100);
    })()`);
    if (found !== "") findings.push(found);
  }
  const unreached: string[] = await page.evaluate(`[...unreached].map((one) => one.outerHTML.slice(0, 100))`);
  return [...findings, ...unreached.map((one) => `not reached: ${one}`)];
}

const axeRun = (
  options: axe.RunOptions,
) => `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(
  ({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)))`;

/** The page does not scroll sideways, no text leaves its box or is cut off, and none is tiny. */
const layoutRun = `(() => {
  const findings = new Set(), { scrollWidth, clientWidth } = document.scrollingElement;
  if (scrollWidth > clientWidth) findings.add("scrolls sideways: " + scrollWidth + " of " + clientWidth);
  for (const one of document.body.querySelectorAll("*:not(svg *, script, input)")) {
    if (!one.checkVisibility() || one.closest(".unseen")) continue;
    const style = getComputedStyle(one), start = one.outerHTML.slice(0, 100);
    const text = [...one.childNodes].some((child) => child.nodeType === 3 && child.nodeValue.trim() !== "");
    if (text && parseFloat(style.fontSize) < 12) findings.add("smaller than 12 px: " + start);
    if (one.clientWidth <= 1) continue;
    // Details are wider than their cell on purpose: the row has room for them.
    const isWider = one.scrollWidth > one.clientWidth + 1 && !one.matches("tbody *:has(dl)");
    if (isWider) findings.add("wider than its box: " + start);
    // Text that is cut after a number of lines is cut on purpose; the details have all of it.
    const isCut = one.scrollHeight > one.clientHeight + 1 && style.webkitLineClamp === "none";
    if (isCut && style.overflowY !== "visible") findings.add("cut off: " + start);
  }
  return [...findings];
})()`;

/** WCAG 2.2, 2.5.8: targets of at least 24 pixels each way. */
const targetRun = `[...document.querySelectorAll("a:not(.skip), button, input, summary")]
  .filter((one) => one.type !== "hidden" && one.checkVisibility())
  .map((one) => ({ one, box: one.getBoundingClientRect() }))
  .filter(({ box }) => box.width < 24 || box.height < 24)
  .map(({ one, box }) => "only " + box.width + " by " + box.height + ": " + one.outerHTML.slice(0, 100))`;
