import { expect, test } from "vitest";
import { bypassesProxy } from "./no-proxy.ts";

test.each<[string, string, boolean]>([
  ["", "http://a.example/", false],
  ["*", "http://a.example/", true],
  ["a.example", "http://a.example/", true],
  ["a.example", "http://b.a.example/", true],
  [".a.example", "http://b.a.example/", true],
  ["*.a.example", "http://b.a.example/", true],
  ["a.example", "http://ba.example/", false],
  ["a.example", "http://a.example.evil.test/", false],
  ["A.Example", "http://a.EXAMPLE/", true],
  ["x, a.example b", "http://a.example/", true],
  ["a.example:8080", "http://a.example:8080/", true],
  ["a.example:8080", "http://a.example/", false],
  ["a.example:443", "https://a.example/", true],
  ["10.0.0.0/8", "http://10.1.2.3/", true],
  ["10.0.0.0/8", "http://11.1.2.3/", false],
  ["10.1.2.3", "http://10.1.2.3:9090/", true],
  ["10.1.2.3:80", "http://10.1.2.3/", true],
  ["10.1.2.3:81", "http://10.1.2.3/", false],
  ["fd00::/8", "http://[fd00::1]/", true],
  ["::1", "http://[::1]/", true],
  ["[::1]:80", "http://[::1]/", true],
  ["10.0.0.0/99", "http://10.0.0.1/", false],
  [" , ,", "http://a.example/", false],
])("NO_PROXY=%j and %s: %s", (list, url, expected) => {
  expect(bypassesProxy(new URL(url), list)).toBe(expected);
});
