import { existsSync, readFileSync } from "node:fs";
import { rootCertificates, type SecureContext } from "node:tls";
import { defined } from "../core/defined.ts";
import { lookOfFile, RenewedContext } from "./renewed-context.ts";

/** TLS settings for a receiver or the metrics store, as configured. */
export interface TlsSettings {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

interface TlsConnectOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

/** The CA bundles of Debian, Red Hat, SUSE and Alpine. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * TLS material for connections: the system's certificate authorities (and those built into Node.js) plus
 * configured ones, an optional client certificate, TLS 1.2 or later. Rebuilt when a file has changed, so the
 * next connection uses a renewed certificate.
 */
export class TlsMaterial {
  readonly #settings: TlsSettings;
  readonly #context: RenewedContext;

  constructor(settings: TlsSettings) {
    const { caFile, certFile, keyFile } = settings;
    this.#settings = settings;
    this.#context = new RenewedContext(
      () => [caFile, certFile, keyFile].map(lookOfFile).join(" "),
      () =>
        defined({
          ca: [...systemAuthorities(), ...(caFile ? [authoritiesIn(caFile)] : [])],
          cert: contentsOf(certFile),
          key: contentsOf(keyFile),
        }),
    );
  }

  /**
   * Options for `tls.connect`.
   *
   * @throws FILE_UNREADABLE when a file cannot be read or holds no certificate, and there is no earlier
   *   material
   */
  connectOptions(): TlsConnectOptions {
    const { serverName, insecureSkipVerify } = this.#settings;
    return defined({
      secureContext: this.#context.current(),
      rejectUnauthorized: insecureSkipVerify !== true,
      servername: serverName || undefined,
    });
  }
}

/**
 * Reads a file of authorities. OpenSSL would ignore a certificate that is cut off, as in a file that is being
 * written.
 */
function authoritiesIn(file: string): string {
  const text = readFileSync(file, "latin1");
  const count = (line: string): number => text.split(line).length - 1;
  const [begins, ends] = [count("-----BEGIN "), count("-----END ")];
  if (begins === 0) throw new Error(`${file} holds no certificate`);
  if (begins !== ends) throw new Error(`${file} is not complete`);
  return text;
}

function contentsOf(file: string | undefined): Buffer | undefined {
  return file ? readFileSync(file) : undefined;
}

/** The certificate authorities of the machine and those built into Node.js. @throws the file's error */
export function systemAuthorities(): (string | Buffer)[] {
  const named = process.env["SSL_CERT_FILE"];
  const bundle = [...(named ? [named] : []), ...systemBundles].find((file) => existsSync(file));
  const files = [bundle, process.env["NODE_EXTRA_CA_CERTS"]].filter(
    (file) => file !== undefined && file !== "",
  );
  return [...rootCertificates, ...files.map((file) => readFileSync(file as string))];
}
