import { expect, test } from "vitest";
import { secretsByName, secretsOfUrl } from "./secret-values.ts";

test("headers that are named like a secret", () => {
  const headers = {
    "X-API-Key": "a",
    "X-Scope-OrgID": "acme",
    "x-auth-token": "b",
    Accept: "*/*",
    Cookie: "c",
  };
  expect(secretsByName(headers)).toEqual(["a", "b", "c"]);
});

test.each<[string | undefined, unknown[]]>([
  [undefined, []],
  ["not a URL", []],
  ["http://host/", []],
  ["http://user@host/", []],
  [
    "http://user:p%40ss@host/",
    [
      { username: "user", password: "p%40ss" },
      { username: "user", password: "p@ss" },
    ],
  ],
  [
    "redis://:100%25@host/",
    [
      { username: "", password: "100%25" },
      { username: "", password: "100%" },
    ],
  ],
])("%s", (url, secrets) => {
  expect(secretsOfUrl(url)).toEqual(secrets);
});
