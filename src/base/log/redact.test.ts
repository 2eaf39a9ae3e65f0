import { expect, test } from "vitest";
import { liveSecrets } from "./live-secrets.ts";
import { redact, redactBeginning } from "./redact.ts";

test.each([
  ["http://u:p@host/x", "http://***@host/x"],
  ["POST https://host/write?password=hunter2&a=1", "POST https://host/write?password=***&a=1"],
  ['https://h/?a=1&api_key=abc"', 'https://h/?a=1&api_key=***"'],
  ["https://h/?access_token=abc def", "https://h/?access_token=*** def"],
  ["redis://:secret@127.0.0.1:6379", "redis://***@127.0.0.1:6379"],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ***"],
  ['{"authorization":"Bearer abc.def"}', '{"authorization":"Bearer ***"}'],
  ["map[Authorization:[Basic dXNlcjpwYXNz]]", "map[Authorization:[Basic ***]]"],
  ['{"Proxy-Authorization":["Bearer abc.def"]}', '{"Proxy-Authorization":["Bearer ***"]}'],
  ["redis://:p@ss@host/", "redis://***@host/"],
  ["mail me@example.com about http://host/a@b", "mail me@example.com about http://host/a@b"],
  ["http://host/path?query=up", "http://host/path?query=up"],
])("%s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});

test("a secret that is in use, wherever it stands", () => {
  liveSecrets.hold("test", [{ username: "user", password: "correct horse" }]);
  expect(redact('got {"password":"correct horse"}')).toBe('got {"password":"***"}');
});

test("what may be the beginning of a secret goes from the end of a text that was cut off", () => {
  liveSecrets.hold("test", ["a-token-that-is-quoted"]);
  const text = `${"x".repeat(100)}a-token-that-is-qu`;
  expect(redactBeginning(text, false, 1_000)).toBe(text);
  expect(redactBeginning(text, true, 1_000)).toBe("x".repeat(54));
  expect(redactBeginning(text, true, 10)).toBe("x".repeat(10));
});

test.each<[what: string, make: (length: number) => string]>([
  ["letters", (length) => "a".repeat(length)],
  ["schemes", (length) => "a://".repeat(length / 4)],
  ["at signs", (length) => `a://${"@x".repeat(length / 2)}`],
  ["names of secrets", (length) => `?${"token".repeat(length / 5)}`],
  ["parameters", (length) => "&a_".repeat(length / 3)],
  ["headers", (length) => "authorization:basic ".repeat(length / 20)],
  ["white space", (length) => `authorization${" ".repeat(length)}`],
])("four times as many %s take about four times as long", (_, make) => {
  const fastestMs = (length: number): number =>
    Math.min(
      ...[1, 2, 3, 4, 5].map(() => {
        const text = make(length);
        const startMs = performance.now();
        redact(text);
        return performance.now() - startMs;
      }),
    );
  fastestMs(20_000);
  expect(fastestMs(160_000)).toBeLessThan(16 * fastestMs(40_000) + 20);
});
