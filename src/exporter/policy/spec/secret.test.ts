import { describe, expect, test } from "vitest";
import { basicAuthOf, checkSecret } from "./secret.ts";

const secret = (members: object) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  ...members,
});
const basicAuth = { type: "kubernetes.io/basic-auth" };
const base64 = (text: string) => Buffer.from(text).toString("base64");

test("data is base64, stringData is plain and wins", () => {
  const json = secret({
    ...basicAuth,
    data: { username: base64("ünï"), password: base64("old") },
    stringData: { password: "new" },
  });
  const { secret: read, faults } = checkSecret(json, "directory");
  expect(faults).toEqual([]);
  expect(read).toEqual({
    plane: "directory",
    namespace: "default",
    name: "s",
    type: "kubernetes.io/basic-auth",
    data: new Map([
      ["username", "ünï"],
      ["password", "new"],
    ]),
  });
});

test("base64 may have line breaks; a value that is no text is left out, and so is what is no credential", () => {
  const data = { username: "aGVs\nbG8=\n", password: base64("p"), other: base64("o") };
  const binary = Buffer.from([0xff, 0xfe]).toString("base64");
  const { secret: read, faults } = checkSecret(
    secret({ ...basicAuth, data: { ...data, binary } }),
    "directory",
  );
  expect([...(read?.data ?? [])]).toEqual([
    ["username", "hello"],
    ["password", "p"],
  ]);
  const opaque = checkSecret(secret({ data }), "directory").secret;
  expect([opaque?.type, opaque?.data.size]).toEqual(["Opaque", 0]);
  expect(faults.map((fault) => fault.path.join("."))).toEqual(["data.binary"]);
});

test("a line break at the end of a password is doubtful, not wrong", () => {
  const json = secret({ ...basicAuth, data: { username: base64("u"), password: base64("p\n") } });
  const { secret: read, faults } = checkSecret(json, "directory");
  expect(read?.data.get("password")).toBe("p\n");
  expect(faults).toMatchObject([{ severity: "warning", path: ["data", "password"] }]);
});

describe("basicAuthOf, with the messages of the condition InvalidAuthentication", () => {
  const of = (type: string, data: Record<string, string>) => ({
    plane: "directory",
    namespace: "default",
    name: "s",
    type,
    data: new Map(Object.entries(data)),
  });
  test.each([
    [undefined, "secret 's' not found"],
    [of("Opaque", {}), "secret 's' is not of type kubernetes.io/basic-auth"],
    [of("kubernetes.io/basic-auth", { password: "p" }), "secret 's' does not contain a username"],
    [of("kubernetes.io/basic-auth", { username: "u" }), "secret 's' does not contain a password"],
    [
      of("kubernetes.io/basic-auth", { username: "a:b", password: "p" }),
      "secret 's' has a username with a colon",
    ],
  ])("%#", (value, problem) => {
    expect(basicAuthOf("s", value)).toEqual({ problem });
  });

  test.each<[string, object, string]>([
    [
      "a number",
      { stringData: { username: 123456, password: "p" } },
      "username that cannot be read: it must be text; put it in quotes",
    ],
    [
      "Latin-1",
      { data: { username: base64("u"), password: Buffer.from("pässword", "latin1").toString("base64") } },
      "password that cannot be read: it must be UTF-8 text in base64",
    ],
    [
      "no base64",
      { data: { username: "ü", password: base64("p") } },
      "username that cannot be read: it must be base64; plain text belongs in stringData",
    ],
    [
      "a number that takes precedence over a text",
      { data: { username: base64("u"), password: base64("p") }, stringData: { username: 1 } },
      "username that cannot be read: it must be text; put it in quotes",
    ],
  ])("a credential that is there but cannot be read: %s", (_name, fields, problem) => {
    const { secret: read } = checkSecret(
      secret({ type: "kubernetes.io/basic-auth", ...fields }),
      "directory",
    );
    expect(basicAuthOf("s", read)).toEqual({ problem: `secret 's' has a ${problem}` });
  });

  test("an empty password is one", () => {
    const value = of("kubernetes.io/basic-auth", { username: "u", password: "" });
    expect(basicAuthOf("s", value)).toEqual({ username: "u", password: "" });
  });
});
