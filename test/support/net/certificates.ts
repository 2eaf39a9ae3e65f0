import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** PEM texts. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority for one test. */
export interface Authority {
  readonly cert: string;
  /**
   * Issues a certificate for servers and clients, for 127.0.0.1 and `localhost` unless other DNS names are
   * given.
   */
  issue(dnsNames?: readonly string[]): Certificate;
}

/**
 * X.509 v3 (RFC 5280) with P-256 keys, encoded as DER by hand, since Node can parse certificates but not
 * create them.
 */
export function createAuthority(): Authority {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const cert = pem(
    certificate(authority.publicKey, authority.privateKey, "test authority", 1, basicConstraints),
  );
  let serial = 1;
  return {
    cert,
    issue(dnsNames) {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const names = alternativeNames(dnsNames);
      serial++;
      return {
        key: own.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        cert: pem(certificate(own.publicKey, authority.privateKey, "test server", serial, names)),
      };
    },
  };
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 0xff]), body]);
}

const sequence = (...content: readonly Buffer[]) => der(0x30, ...content);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const octets = (content: Buffer) => der(0x04, content);
const isTrue = der(0x01, Buffer.from([0xff]));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));

const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
const basicConstraints = sequence(objectId("551d13"), isTrue, octets(sequence(isTrue)));

function alternativeNames(dnsNames: readonly string[] | undefined): Buffer {
  const names = (dnsNames ?? ["localhost"]).map((name) => der(0x82, Buffer.from(name)));
  if (dnsNames === undefined) names.push(der(0x87, Buffer.from([127, 0, 0, 1])));
  return sequence(objectId("551d11"), octets(sequence(...names)));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(commonName)))));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]/g, "").slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function certificate(
  publicKey: KeyObject,
  signingKey: KeyObject,
  subject: string,
  serial: number,
  extension: Buffer,
): Buffer {
  const validity = sequence(utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000));
  const version3 = der(0xa0, integer(2));
  const content = sequence(
    version3,
    integer(serial),
    ecdsaWithSha256,
    distinguishedName("test authority"),
    validity,
    distinguishedName(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, signingKey));
  return sequence(content, ecdsaWithSha256, signature);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
