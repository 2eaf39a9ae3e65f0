import { createHash, createPrivateKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";

/** A certificate that a gateway can serve. */
export interface KeyPair {
  /** The certificates, the one of the key first, and the key (PEM), as they were read: nothing else is in it. */
  readonly pem: string;
  /** Of the Secret's data. */
  readonly digest: string;
  /** Unix epoch, ms. */
  readonly validFromMs: number;
  readonly validToMs: number;
  /** Whether the certificate is for a hostname or wildcard. */
  isFor(hostname: string): boolean;
}

/** Why a Secret has none; its message shows nothing of the key. */
export interface KeyPairFault {
  readonly fault: string;
}

/** Bytes of `tls.crt` and `tls.key`. A running HAProxy takes 32 KiB at once. */
const maxBytes = { "tls.crt": 16 * 1024, "tls.key": 8 * 1024 } as const;
const maxCertificates = 10;
/** Larger keys cost the gateway's processor much for each connection. */
const rsaBits = { least: 2_048, most: 4_096 } as const;
const maxExponent = 2n ** 32n;
const curves = ["prime256v1", "secp384r1"];
/** What HAProxy of Debian demands of keys and signatures, whatever the system here is set to. */
const ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:@SECLEVEL=2";
const maxRemembered = 1_000;

/** By the digest of what was read: each is checked once. */
const known = new Map<string, KeyPair | KeyPairFault>();

/** The certificate and key of a Secret of the type kubernetes.io/tls. */
export function keyPairOf(secret: KubeObject): KeyPair | KeyPairFault {
  if (secret["type"] !== "kubernetes.io/tls") return { fault: "is not of the type kubernetes.io/tls" };
  const [chain, key] = (["tls.crt", "tls.key"] as const).map((name) => {
    const text = String(fieldAt(secret, ["data", name]) ?? "");
    return Buffer.byteLength(text, "base64") > maxBytes[name] ? undefined : Buffer.from(text, "base64");
  });
  if (chain === undefined) return { fault: `has more than ${maxBytes["tls.crt"] / 1024} KiB in tls.crt` };
  if (key === undefined) return { fault: `has more than ${maxBytes["tls.key"] / 1024} KiB in tls.key` };
  const digest = createHash("sha256").update(`${chain.length} `).update(chain).update(key).digest("base64");
  const found = known.get(digest) ?? readKeyPair(chain.toString("latin1"), key.toString("latin1"), digest);
  known.delete(digest);
  known.set(digest, found);
  const [oldest] = known.keys();
  if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest);
  return found;
}

function readKeyPair(chain: string, key: string, digest: string): KeyPair | KeyPairFault {
  const blocks = chain.match(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) return { fault: "has no certificate in PEM in tls.crt" };
  if (blocks.length > maxCertificates) {
    return { fault: `has more than ${maxCertificates} certificates in tls.crt` };
  }
  const certificates = blocks.flatMap((block) => attempt(() => new X509Certificate(block)) ?? []);
  const [leaf] = certificates;
  if (leaf === undefined || certificates.length < blocks.length) {
    return { fault: "has a malformed certificate in tls.crt" };
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) return { fault: "has no key in PEM without a passphrase in tls.key" };
  const weakness = keyFault(privateKey);
  if (weakness !== undefined) return { fault: weakness };
  if (!isOfCertificate(privateKey, leaf)) return { fault: "has a key that is not the first certificate's" };
  const cert = certificates.map((each) => each.toString()).join("");
  const written = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  if (attempt(() => createSecureContext({ cert, key: written, ciphers })) === undefined) {
    return { fault: "has a certificate whose key or signature is too weak" };
  }
  return {
    pem: `${cert}${written}`,
    digest,
    validFromMs: Date.parse(leaf.validFrom),
    validToMs: Date.parse(leaf.validTo),
    // A wildcard of a listener is the certificate's own, or below it.
    isFor: (hostname) => leaf.checkHost(hostname.replace("*", "any")) !== undefined,
  };
}

function keyFault({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details = {},
}: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n, namedCurve = "" } = details;
  const isRsa = type === "rsa" && publicExponent < maxExponent;
  if (isRsa && modulusLength >= rsaBits.least && modulusLength <= rsaBits.most) return undefined;
  if (type === "ec" && curves.includes(namedCurve)) return undefined;
  return `has a key that is neither RSA of ${rsaBits.least} to ${rsaBits.most} bits nor ECDSA of P-256 or P-384`;
}

/** Uses the key: a comparison of the public parts says nothing of the private one. */
function isOfCertificate(key: KeyObject, certificate: X509Certificate): boolean {
  const text = Buffer.from("telemetryd");
  return attempt(() => verify("sha256", text, certificate.publicKey, sign("sha256", text, key))) === true;
}

/** Undefined if it throws: the messages of OpenSSL say little. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
