import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test.each([
  ["http://u:p@host/x", "http://***@host/x"],
  ["POST https://host/write?password=hunter2&a=1", "POST https://host/write?password=***&a=1"],
  ['https://h/?a=1&api_key=abc"', 'https://h/?a=1&api_key=***"'],
  ["https://h/?access_token=abc def", "https://h/?access_token=*** def"],
  ["redis://:secret@127.0.0.1:6379", "redis://***@127.0.0.1:6379"],
  ["Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ***"],
  ['{"authorization":"Bearer abc.def"}', '{"authorization":"Bearer ***"}'],
  ["mail me@example.com about http://host/a@b", "mail me@example.com about http://host/a@b"],
  ["http://host/path?query=up", "http://host/path?query=up"],
])("%s", (text, expected) => {
  expect(redact(text)).toBe(expected);
});
