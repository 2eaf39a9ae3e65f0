import { expect, test } from "vitest";
import { checkSecret } from "./secret.ts";

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
  expect([opaque?.type, opaque?.data.size]).toEqual(["Opaque", 3]);
  expect(faults.map((fault) => fault.path.join("."))).toEqual(["data.binary"]);
});

test("a line break at the end of a password is doubtful, not wrong", () => {
  const json = secret({ ...basicAuth, data: { username: base64("u"), password: base64("p\n") } });
  const { secret: read, faults } = checkSecret(json, "directory");
  expect(read?.data.get("password")).toBe("p\n");
  expect(faults).toMatchObject([{ severity: "warning", path: ["data", "password"] }]);
});
