import { existsSync, readFileSync, statSync } from "node:fs";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { describeError, TelemetrydError } from "./errors.ts";

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
  #look = "";
  #context: SecureContext | undefined;

  constructor(settings: TlsSettings) {
    this.#settings = settings;
  }

  /**
   * What `tls.connect` takes.
   *
   * @throws FILE_UNREADABLE when a file cannot be read or holds no certificate, and there was no good one before
   */
  connectOptions(): TlsConnectOptions {
    const { serverName, insecureSkipVerify } = this.#settings;
    return {
      secureContext: this.#currentContext(),
      rejectUnauthorized: insecureSkipVerify !== true,
      ...(serverName && { servername: serverName }),
    };
  }

  #currentContext(): SecureContext {
    const { caFile, certFile, keyFile } = this.#settings;
    try {
      const look = [caFile, certFile, keyFile].map(lookOf).join(" ");
      if (this.#context !== undefined && look === this.#look) return this.#context;
      this.#context = createSecureContext({
        ca: [...systemAuthorities(), ...(caFile ? [readFileSync(caFile)] : [])],
        ...(certFile && { cert: readFileSync(certFile) }),
        ...(keyFile && { key: readFileSync(keyFile) }),
        minVersion: "TLSv1.2",
      });
      this.#look = look;
      return this.#context;
    } catch (error) {
      // Certificate and key are renewed one after another: until they fit each other again, the old ones serve.
      if (this.#context !== undefined) return this.#context;
      const message = `the TLS files cannot be used: ${describeError(error)}`;
      throw new TelemetrydError("FILE_UNREADABLE", message, { cause: error });
    }
  }
}

function lookOf(file: string | undefined): string {
  if (!file) return "-";
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino}:${size}:${mtimeMs}`;
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
