import { expect, test } from "vitest";
import { matchesLabels, parseLabelSelector } from "./label-selector.ts";

const labels = { app: "web", tier: "front", "example.com/x": "", size: "10" };

test.each([
  ["", true],
  ["app=web", true],
  ["app==web,tier=front", true],
  ["app=web, tier=back", false],
  ["app!=web", false],
  ["other!=web", true],
  ["app in (web,api)", true],
  ["app in (api)", false],
  ["app notin (api, db)", true],
  ["other notin (api)", true],
  ["app", true],
  ["other", false],
  ["!other", true],
  ["! app", false],
  ["example.com/x=", true],
  ["example.com/x", true],
  ["constructor", false],
  ["app in (web),tier", true],
  ["app,tier", true],
  ["app,!other", true],
  ["size>9", true],
  ["in=1", false],
  ["!in", true],
  ["app in (in,notin)", false],
  ["example.com/x in ()", true],
  ["example.com/x in (,a)", true],
  ["example.com/x in (a,)", true],
  ["app notin (,)", true],
  ["app\tin\n(web)", true],
  ["size>9", true],
  ["size > 10", false],
  ["size<11", true],
  ["size<10", false],
  ["size>9223372036854775807", false],
  ["app>1", false],
  ["other<1", false],
])("%s", (text, expected) => {
  const outcome = parseLabelSelector(text);
  expect(outcome.ok && matchesLabels(outcome.requirements, labels)).toBe(expected);
});

test.each([
  ["a=b=c"],
  ["a in b"],
  ["a in (b"],
  ["=b"],
  ["a,,b"],
  ["a=-b"],
  ["-a"],
  ["a>b"],
  ["a>x1"],
  ["a>1x"],
  ["a b"],
  ["a in b,c)"],
  ["a>"],
  ["a>9223372036854775808"],
  ["a in (b c)"],
  ["a in (b,(c))"],
  ["a,"],
  [","],
  ["!"],
  ["!a=b"],
  ["a=!b"],
  ["a==="],
  ["a in"],
  ["a/b/c=d"],
  [`a=${"b".repeat(64)}`],
])("%s is refused", (text) => {
  expect(parseLabelSelector(text)).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^unable to parse requirement: .{1,400}$/),
  });
});

test("a long text is cut off in the message", () => {
  const messageOf = (text: string) => {
    const outcome = parseLabelSelector(text);
    return outcome.ok ? "" : outcome.message;
  };
  const cut = `"${"a".repeat(256)}…"`;
  expect(messageOf("a".repeat(257))).toContain(cut);
  expect(messageOf("a".repeat(256))).toContain(`"${"a".repeat(256)}"`);
});
