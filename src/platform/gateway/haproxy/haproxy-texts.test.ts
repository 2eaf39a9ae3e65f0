import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { complaintsOf } from "./configuration-check.ts";
import { writeConfiguration } from "./configuration-file.ts";
import { parseProcesses } from "./haproxy-process.ts";
import { fetchOf, format, word } from "./quote.ts";

/** Texts that are given to HAProxy, and those that it gives back. */

test.each([
  ["a b", "'a b'"],
  ["it's", "'it'\\''s'"],
  ['"\\$HOME #', "'\"\\$HOME #'"],
  ["%[src]", "'%[src]'"],
])("the word %j", (text, quoted) => expect(word(text)).toBe(quoted));

test("a format string has its percent signs doubled", () =>
  expect(format("%[src] 5%")).toBe("'%%[src] 5%%'"));

test("an argument of a sample fetch has quotes of its own", () => {
  expect(fetchOf("req.fhdr", 'x"\\')).toBe(`'req.fhdr("x\\"\\\\")'`);
});

test.each(["a\nb", "a\0", "\r", "\u007f"])("%j cannot be a word: it would be another line", (text) => {
  expect(() => word(text)).toThrow("control characters");
});

test("the response to `show proc`", () => {
  const text = [
    "#<PID>          <type>          <reloads>       <uptime>        <version>",
    "19410           master          2 [failed: 1]   0d00h00m01s     2.6.12",
    ...["# workers", "19429           worker          1               0d00h00m00s     2.6.12"],
    ...[
      "# old workers",
      "19413           worker          2               0d00h00m01s     2.6.12",
      "# programs",
      "",
    ],
  ].join("\n");
  expect(parseProcesses(text)).toEqual({ master: 19_410, failed: 1, workers: [19_429], leaving: [19_413] });
  expect(parseProcesses("")).toBeUndefined();
});

test("what `haproxy -c` complains of", () => {
  const output = `[NOTICE]   (1) : haproxy version is 2.6.12
[ALERT]    (1) : config : parsing [/state/haproxy.cfg:98] : unknown keyword 'x' in 'backend' section
[ALERT]    (1) : config : backend 'gateway-1': no such thing.
[ALERT]    (1) : config : Fatal errors found in configuration.`;
  expect(complaintsOf(output)).toEqual([
    { line: 98, message: "unknown keyword 'x' in 'backend' section" },
    { message: "backend 'gateway-1': no such thing." },
    { message: "Fatal errors found in configuration." },
  ]);
  expect(complaintsOf("cannot fork")).toEqual([{ message: "cannot fork" }]);
});

test("lines of a configuration are found again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-configuration-"));
  try {
    const file = join(folder, "haproxy.cfg");
    const sections = ["a", "b", "c"].map((gateway, index) => ({
      ...{ gateway, hostname: `${gateway}.example` },
      text: `backend ${gateway}\n${"  line\n".repeat(index)}`,
    }));
    const lines = await writeConfiguration(file, "global\n  x\n", sections);
    const written = (await readFile(file, "utf8")).split("\n");
    for (const { gateway } of sections) {
      const first = written.indexOf(`backend ${gateway}`) + 1;
      expect(lines.gatewayOf(first)).toBe(gateway);
    }
    expect(lines.gatewayOf(1)).toBeUndefined();
    expect(lines.gatewayOf(written.lastIndexOf("  line") + 1)).toBe("c");
    expect(lines.gatewayOf(1_000)).toBeUndefined();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
