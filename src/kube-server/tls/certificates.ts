// The certificate library's dependency injection throws on import without it.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

cryptoProvider.set(webcrypto);

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const dayMs = 24 * 3_600_000;
const authorityLifetimeMs = 3650 * dayMs;
const certificateLifetimeMs = 365 * dayMs;
/** A certificate is renewed when it has less than this left. */
const renewBeforeMs = 60 * dayMs;

/** A certificate with its key, both as PEM. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

async function newKeys(): Promise<{ keys: webcrypto.CryptoKeyPair; pem: string }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { keys, pem: toPem("PRIVATE KEY", pkcs8) };
}

function toPem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function serialNumber(): string {
  // Keep the first bit 0: a serial number is positive.
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f || 1;
  return Buffer.from(bytes).toString("hex");
}

/** Creates a certificate authority, valid for ten years. */
export async function makeAuthority(title: string, nowMs: number): Promise<CertificateAndKey> {
  const { keys, pem } = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [`${title} CA`] }],
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + authorityLifetimeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: pem };
}

/** Creates a server certificate for names and addresses, signed by an authority and valid for a year. */
export async function makeServerCertificate(
  title: string,
  authority: CertificateAndKey,
  names: readonly string[],
  nowMs: number,
): Promise<CertificateAndKey> {
  const issuer = new X509Certificate(authority.certificate);
  const pkcs8 = Buffer.from(authority.key.replace(/-----[^-]+-----|\s/g, ""), "base64");
  const signingKey = await webcrypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
  const { keys, pem } = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [title] }],
    issuer: issuer.subject,
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + certificateLifetimeMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value })),
      ),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { certificate: `${certificate.toString("pem")}\n`, key: pem };
}

/**
 * Whether to renew a server certificate: it expires soon, another authority signed it, or a name is missing.
 */
export function needsRenewal(
  certificate: string,
  authority: string,
  names: readonly string[],
  nowMs: number,
): boolean {
  try {
    const own = new X509Certificate(certificate);
    const issuer = new X509Certificate(authority);
    const identifier = own.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
    const expected = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId;
    const held = own.getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
    const heldNames = new Set(held.map(({ value }) => String(value)));
    const endsSoon = own.notAfter.getTime() - nowMs < renewBeforeMs;
    return endsSoon || identifier !== expected || !names.every((name) => heldNames.has(name));
  } catch {
    return true;
  }
}

/** Whether an authority outlives a server certificate signed now. */
export function isAuthorityUsable(certificate: string, nowMs: number): boolean {
  try {
    return new X509Certificate(certificate).notAfter.getTime() - nowMs > certificateLifetimeMs;
  } catch {
    return false;
  }
}
