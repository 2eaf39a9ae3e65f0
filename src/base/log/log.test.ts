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

test("lines are JSON with the level's number and a time", () => {
  let written = "";
  createLogger("warn", { write: (text) => (written += text) }, false).warn({ sink: "a" }, "slow");
  expect(JSON.parse(written)).toMatchObject({
    level: 40,
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
  expect(JSON.parse(written)).toMatchObject({ level: 30, sink: "has ***", msg: "said" });
});
