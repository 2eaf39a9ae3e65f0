import { expect, test } from "vitest";
import { liveSecrets } from "./live-secrets.ts";
import { createLogger } from "./log.ts";

test.each([[false], [true]])(
  "a credential in any field does not leave (terminal: %s)",
  async (isTerminal) => {
    let written = "";
    const log = createLogger("info", { write: (text) => (written += text) }, isTerminal);
    log.info(
      { url: "http://u:hunter2@h/?password=hunter2", nested: { url: "https://x:hunter2@h" } },
      "sent to http://a:hunter2@b",
    );
    await new Promise(setImmediate);
    expect(written).toContain("sent to");
    expect(written).not.toContain("hunter2");
  },
);

test("lines are JSON with the level's name and a time", () => {
  let written = "";
  createLogger("warn", { write: (text) => (written += text) }, false).warn({ sink: "a" }, "slow");
  expect(JSON.parse(written)).toMatchObject({
    level: "warn",
    sink: "a",
    msg: "slow",
    time: expect.stringContaining("T"),
  });
});

test("whatever a secret is, a line keeps its form", () => {
  let written = "";
  const log = createLogger("info", { write: (text) => (written += text) }, false);
  liveSecrets.hold("test", ["level", '","msg":"', 'a "secret"']);
  log.info({ sink: 'has a "secret"' }, "said");
  expect(JSON.parse(written)).toMatchObject({ level: "info", sink: "has ***", msg: "said" });
});

test.each([
  ["auto", true, "text"],
  ["auto", false, "json"],
  ["text", false, "text"],
  ["json", true, "json"],
] as const)("with format %s (terminal: %s) lines are %s", (format, isTerminal, expected) => {
  let written = "";
  const out = { write: (text: string) => (written += text) };
  createLogger("info", out, isTerminal, format).error({ sink: "a" }, "the request failed");
  expect(written.startsWith("{") ? "json" : "text").toBe(expected);
  expect(written).toContain("the request failed");
  if (expected === "text") expect(written).toMatch(/ERROR/);
  // Colours are for terminals alone; a file needs the date.
  expect(written.includes("\u001b")).toBe(expected === "text" && isTerminal);
  if (!isTerminal) expect(written).toMatch(/\d{4}-\d{2}-\d{2}/);
});

test("a changed level is that of the loggers made from it, too", () => {
  const lines: string[] = [];
  const log = createLogger("info", { write: (text) => lines.push(text) }, false);
  const child = log.child({ plane: "p" }).child({ sink: "s" });
  child.debug("before");
  log.level = "debug";
  child.debug("after");
  log.level = "error";
  child.warn("later");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ plane: "p", sink: "s", level: "debug", msg: "after" }),
  ]);
});
