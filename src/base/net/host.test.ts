import { expect, test } from "vitest";
import { namesOneHost } from "./host.ts";

test.each<[string, string[], string, boolean]>([
  ["one", ["host", "a"], "1.1", true],
  ["none", ["Accept", "*/*"], "1.1", false],
  ["none, as HTTP/1.0 may", [], "1.0", true],
  ["two", ["Host", "a", "HOST", "b"], "1.1", false],
  ["in HTTP/2", [":authority", "a"], "2.0", true],
  ["twice the same in HTTP/2", [":authority", "a", "host", "a"], "2.0", true],
  ["two in HTTP/2", [":authority", "a", "host", "b"], "2.0", false],
  ["two in HTTP/1.0", ["Host", "a", "Host", "a"], "1.0", false],
])("names one host: %s", (_name, rawHeaders, httpVersion, expected) => {
  expect(namesOneHost({ rawHeaders, httpVersion })).toBe(expected);
});
