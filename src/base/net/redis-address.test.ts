import { expect, test } from "vitest";
import { parseRedisAddress } from "./redis-address.ts";

const plain = {
  kind: "sentinel",
  primary: "mymaster",
  database: 0,
  username: undefined,
  password: undefined,
  sentinelUsername: undefined,
  sentinelPassword: undefined,
  isTls: false,
};
const a = { host: "a", port: 26_379 };
const b = { host: "b", port: 5_000 };

test.each([
  [["redis://127.0.0.1:6379/2"], { kind: "single", url: "redis://127.0.0.1:6379/2" }],
  [["redis://a", "rediss://b"], { kind: "cluster", urls: ["redis://a", "rediss://b"] }],
  [["redis+sentinel://a/mymaster"], { ...plain, sentinels: [a] }],
  [["redis+sentinel://a,b:5000/mymaster/"], { ...plain, sentinels: [a, b] }],
  [
    ["redis+sentinel://a/mymaster/3", "redis+sentinel://b:5000/mymaster/3"],
    { ...plain, sentinels: [a, b], database: 3 },
  ],
  [
    ["rediss+sentinel://us%40er:p%2Fw@[::1]:7,b:5000/my%20one?sentinelUsername=s&sentinelPassword=t%26u"],
    {
      ...plain,
      sentinels: [{ host: "::1", port: 7 }, b],
      primary: "my one",
      username: "us@er",
      password: "p/w",
      sentinelUsername: "s",
      sentinelPassword: "t&u",
      isTls: true,
    },
  ],
  [["redis+sentinel://:secret@a/mymaster"], { ...plain, sentinels: [a], password: "secret" }],
])("%j", (urls, expected) => {
  expect(parseRedisAddress(urls)).toEqual(expected);
});

test.each([
  ["another scheme", ["redis://a", "http://b"], 1],
  ["no address at all", [], 0],
  ["no name of a primary", ["redis+sentinel://a,b"], 0],
  ["no host", ["redis+sentinel:///mymaster"], 0],
  ["an empty host", ["redis+sentinel://a,,b/mymaster"], 0],
  ["a port out of range", ["redis+sentinel://a:70000/mymaster"], 0],
  ["a database that is no number", ["redis+sentinel://a/mymaster/x"], 0],
  ["more than a database", ["redis+sentinel://a/mymaster/0/1"], 0],
  ["an option that nobody knows", ["redis+sentinel://a/mymaster?timeout=5"], 0],
  ["a fragment", ["redis+sentinel://a/mymaster#x"], 0],
  ["a bad escape", ["redis+sentinel://:%zz@a/mymaster"], 0],
  ["another tool's scheme", ["redis-sentinel://a/mymaster"], 0],
  ["another primary", ["redis+sentinel://a/one", "redis+sentinel://b/two"], 1],
  ["a server among sentinels", ["redis+sentinel://a/one", "redis://b"], 1],
])("%s is a fault", (_, urls, index) => {
  expect(parseRedisAddress(urls)).toMatchObject({ kind: "fault", index });
});
