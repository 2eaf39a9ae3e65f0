import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { isAuthorityUsable, makeAuthority, makeServerCertificate, needsRenewal } from "./certificates.ts";

const nowMs = Date.UTC(2026, 10, 20);
const dayMs = 24 * 3_600_000;
const names = ["localhost", "127.0.0.1", "::1"];

test("a server certificate is signed by its authority and good for its names", async () => {
  const authority = await makeAuthority("test", nowMs);
  const server = await makeServerCertificate("test", authority, names, nowMs);
  const [ca, own] = [new X509Certificate(authority.certificate), new X509Certificate(server.certificate)];
  expect(own.verify(ca.publicKey)).toBe(true);
  expect(ca.ca).toBe(true);
  expect([own.checkHost("localhost"), own.checkIP("127.0.0.1"), own.checkIP("::1")]).not.toContain(undefined);
  expect(own.checkHost("other")).toBeUndefined();
});

test("when a certificate is issued again", async () => {
  const authority = await makeAuthority("test", nowMs);
  const other = await makeAuthority("test", nowMs);
  const { certificate } = await makeServerCertificate("test", authority, names, nowMs);
  const renewal = (ca: string, wanted: string[], atMs: number) => needsRenewal(certificate, ca, wanted, atMs);
  expect(renewal(authority.certificate, names, nowMs)).toBe(false);
  expect(renewal(authority.certificate, names, nowMs + 310 * dayMs)).toBe(true);
  expect(renewal(authority.certificate, [...names, "new-name"], nowMs)).toBe(true);
  expect(renewal(other.certificate, names, nowMs)).toBe(true);
  expect(needsRenewal("nonsense", authority.certificate, names, nowMs)).toBe(true);
  expect(isAuthorityUsable(authority.certificate, nowMs)).toBe(true);
  expect(isAuthorityUsable(authority.certificate, nowMs + 3300 * dayMs)).toBe(false);
});
