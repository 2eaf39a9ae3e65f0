import { existsSync, readFileSync } from "node:fs";
import { rootCertificates, type SecureContext } from "node:tls";
import { lookOfFile, RenewedContext } from "./renewed-context.ts";

/** TLS to a receiver or the metrics store, as the configuration has it; an absent file is none. */
export interface TlsSettings {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface TlsConnectOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly servername?: string;
}

/** Where Debian, Red Hat, SUSE and Alpine keep the machine's certificate authorities, as other programs look for them. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * What connections are made with: the system's certificate authorities (and those that Node brings) plus configured ones,
 * a client certificate, TLS 1.2 at least. Made anew when a file has changed, so that a renewed certificate is used from the
 * next connection on.
 */
export class TlsMaterial {
  readonly #settings: TlsSettings;
  readonly #context: RenewedContext;

  constructor(settings: TlsSettings) {
    const { caFile, certFile, keyFile } = settings;
    this.#settings = settings;
    this.#context = new RenewedContext(
      () => [caFile, certFile, keyFile].map(lookOfFile).join(" "),
      () => ({
        ca: [...systemAuthorities(), ...(caFile ? [readFileSync(caFile)] : [])],
        ...(certFile && { cert: readFileSync(certFile) }),
        ...(keyFile && { key: readFileSync(keyFile) }),
      }),
    );
  }

  /**
   * What `tls.connect` takes.
   *
   * @throws FILE_UNREADABLE when a file cannot be read or holds no certificate, and there was no good one before
   */
  connectOptions(): TlsConnectOptions {
    const { serverName, insecureSkipVerify } = this.#settings;
    return {
      secureContext: this.#context.current(),
      rejectUnauthorized: insecureSkipVerify !== true,
      ...(serverName && { servername: serverName }),
    };
  }
}

/** The certificate authorities of the machine, and those that Node brings. @throws the file's error */
export function systemAuthorities(): (string | Buffer)[] {
  const named = process.env["SSL_CERT_FILE"];
  const bundle = [...(named ? [named] : []), ...systemBundles].find((file) => existsSync(file));
  const files = [bundle, process.env["NODE_EXTRA_CA_CERTS"]].filter(
    (file) => file !== undefined && file !== "",
  );
  return [...rootCertificates, ...files.map((file) => readFileSync(file as string))];
}
