import { expect, test } from "vitest";
import { parseUrl } from "./url.ts";

test.each([
  ["http://h.example/a?b", undefined, "http://h.example/a?b"],
  ["/a", "http://h.example/b", "http://h.example/a"],
  ["/a", undefined, undefined],
  ["", undefined, undefined],
])("%s on %s is %s", (text, base, expected) => {
  expect(parseUrl(text, base)?.href).toBe(expected);
});

test("a host with letters beyond ASCII is a host, however often one was read", () => {
  const isUrl = (text: string) => parseUrl(text) !== undefined;
  for (let i = 0; i < 20_000; i++) isUrl(`http://h.example/${i}`);
  expect(isUrl("http://ü.example/")).toBe(true);
});
