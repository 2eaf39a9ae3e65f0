import { expect, test } from "vitest";
import { credentialFor, readExecInfo } from "./credentials.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");
const bearer = { text: "a.b.c", expiresMs: nowMs + 3_600_000 };
const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

/** What clients pass: recorded from their code. */
const go = (apiVersion: string) => ({
  kind: "ExecCredential",
  apiVersion,
  spec: { cluster: { server: "https://a", config: null }, interactive: false },
});
const python = (spec: object) => ({ apiVersion: v1, kind: "ExecCredential", spec });

test.each([
  ["Go's, v1", go(v1), v1, "12:01:30"],
  ["Go's, v1beta1", go(v1beta1), v1beta1, "12:01:30"],
  ["JavaScript's, kr8s, lightkube: nothing", undefined, v1beta1, "12:01:30"],
  ["Python's before 31", python({ interactive: false }), v1, "12:06:30"],
  ["Python's", python({ interactive: false, cluster: { server: "https://a" } }), v1, "12:06:30"],
  ["another version", go("client.authentication.k8s.io/v9"), v1beta1, "12:01:30"],
])("%s", (_, info, apiVersion, time) => {
  const read = readExecInfo(info && JSON.stringify(info));
  expect(credentialFor(bearer, read, nowMs)).toEqual({
    apiVersion,
    kind: "ExecCredential",
    status: { token: "a.b.c", expirationTimestamp: `2026-03-01T${time}.000Z` },
  });
});

test("a token that ends before says so", () => {
  const { status } = credentialFor({ text: "t", expiresMs: nowMs + 1_000 }, undefined, nowMs);
  expect(status.expirationTimestamp).toBe("2026-03-01T12:00:01.000Z");
  expect(credentialFor({ text: "t" }, undefined, nowMs).status.expirationTimestamp).toMatch(/T12:01:30/);
});

test.each([undefined, "", "{", "null", "7"])("information that cannot be read is none: %j", (text) => {
  expect(readExecInfo(text)).toBeUndefined();
});
