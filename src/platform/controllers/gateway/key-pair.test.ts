import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { createAuthority } from "../../../../test/support/net/certificates.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { keyPairOf } from "./key-pair.ts";

const authority = createAuthority();
const { cert, key } = authority.issue(["a.example", "*.b.example"]);
const other = authority.issue(["a.example"]);

function secretOf(chain: string, privateKey: string, type = "kubernetes.io/tls"): KubeObject {
  const data = { "tls.crt": chain, "tls.key": privateKey };
  const encoded = Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata: {}, type, data: Object.fromEntries(encoded) };
}

const keyOf = (pair: { privateKey: import("node:crypto").KeyObject }): string =>
  pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const small = keyOf(generateKeyPairSync("rsa", { modulusLength: 1_024 }));
const edwards = keyOf(generateKeyPairSync("ed25519"));
const curve = keyOf(generateKeyPairSync("ec", { namedCurve: "secp256k1" }));
const locked = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
  ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" },
});

test.each<[chain: string, key: string, fault: RegExp]>([
  ["", key, /no certificate in PEM in tls\.crt/],
  ["x".repeat(16_385), key, /more than 16 KiB in tls\.crt/],
  [cert, "x".repeat(8_193), /more than 8 KiB in tls\.key/],
  [cert.repeat(11), key, /more than 10 certificates/],
  [cert.replace(/\n[A-Za-z0-9+/=]+\n-----END/, "\n-----END"), key, /malformed certificate/],
  [`${cert}${cert.replace("MII", "AAA")}`, key, /malformed certificate/],
  [cert, "", /no key in PEM/],
  [cert, cert, /no key in PEM/],
  [cert, String(locked), /no key in PEM without a passphrase/],
  [cert, other.key, /a key that is not the first certificate's/],
  [`${other.cert}${cert}`, key, /a key that is not the first certificate's/],
  [cert, small, /neither RSA of 2048 to 4096 bits nor ECDSA/],
  [cert, edwards, /neither RSA/],
  [cert, curve, /neither RSA/],
])("a Secret that cannot be served: %#", (chain, privateKey, fault) => {
  const found = keyPairOf(secretOf(chain, privateKey));
  expect(found).toEqual({ fault: expect.stringMatching(fault) });
  // Nothing of the Secret is in a condition.
  expect(JSON.stringify(found).length).toBeLessThan(120);
});

test("only a Secret for TLS is one", () => {
  expect(keyPairOf(secretOf(cert, key, "Opaque"))).toEqual({ fault: "is not of the type kubernetes.io/tls" });
});

test("what is served has the certificates and the key, and nothing else of the Secret", () => {
  const comment = "Bag Attributes\n\nshutdown frontend gateway\n";
  const found = keyPairOf(secretOf(`${comment}${cert}${comment}${authority.cert}`, `${comment}${key}`));
  if ("fault" in found) throw new Error(found.fault);
  expect(found.pem).toBe(`${cert}${authority.cert}${key}`);
  expect(["a.example", "c.example", "x.b.example", "*.b.example"].map(found.isFor)).toEqual([
    ...[true, false, true, true],
  ]);
});
