import type { PeerCertificate } from "node:tls";
import { expect, test } from "vitest";
import { identityFault } from "./open-socket.ts";

test.each<[string, string, Partial<PeerCertificate>, RegExp | undefined]>([
  ["a name", "a.example", { subjectaltname: "DNS:a.example" }, undefined],
  ["an address", "192.0.2.1", { subjectaltname: "IP Address:192.0.2.1" }, undefined],
  ["another name", "b.example", { subjectaltname: "DNS:a.example" }, /not in the cert's altnames/],
  ["a common name only", "a.example", {}, /does not contain a DNS name/],
  ["an address only", "a.example", { subjectaltname: "IP Address:192.0.2.1" }, /does not contain a DNS name/],
  ["no alternative", "a.example", { subjectaltname: "" }, /does not contain a DNS name/],
])("the host of a certificate: %s", (_, host, certificate, fault) => {
  const subject = { CN: "a.example" } as PeerCertificate["subject"];
  const found = identityFault(host, { subject, ...certificate } as PeerCertificate);
  if (fault === undefined) expect(found).toBeUndefined();
  else
    expect(found).toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
      message: expect.stringMatching(fault),
    });
});
