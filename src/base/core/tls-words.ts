import { DEFAULT_MAX_VERSION } from "node:tls";

/** By the alert's name in OpenSSL's codes (RFC 8446, section 6.2, and RFC 5246, section 7.2.2). */
const alerts: Readonly<Record<string, string>> = {
  PROTOCOL_VERSION:
    DEFAULT_MAX_VERSION === "TLSv1.3"
      ? "the server takes neither TLS 1.2 nor TLS 1.3"
      : "the server requires TLS 1.3",
  HANDSHAKE_FAILURE: "the server has no cipher in common, or wants a client certificate",
  INSUFFICIENT_SECURITY: "the server requires stronger ciphers",
  CERTIFICATE_REQUIRED: "the server wants a client certificate",
  NO_CERTIFICATE: "the server wants a client certificate",
  BAD_CERTIFICATE: "the server rejects the client certificate",
  UNSUPPORTED_CERTIFICATE: "the server does not support the client certificate's kind",
  CERTIFICATE_REVOKED: "the client certificate is revoked",
  CERTIFICATE_EXPIRED: "the client certificate has expired",
  CERTIFICATE_UNKNOWN: "the server rejects the client certificate",
  UNKNOWN_CA: "the server does not know the authority of the client certificate",
  DECRYPT_ERROR: "the server cannot verify the client certificate's signature",
  ACCESS_DENIED: "the server denies access to the client certificate",
  UNRECOGNIZED_NAME: "the server has no certificate for this name",
  NO_APPLICATION_PROTOCOL: "the server does not speak HTTP/1.1",
  INTERNAL_ERROR: "the server has an internal fault in its TLS",
};

const noTls = "the server does not speak TLS at this address; http:// may be right";
const others: Readonly<Record<string, string>> = {
  WRONG_VERSION_NUMBER: noTls,
  PACKET_LENGTH_TOO_LONG: noTls,
  HTTP_REQUEST: noTls,
  UNSUPPORTED_PROTOCOL: "the server offers only versions of TLS older than 1.2",
};

/**
 * A TLS fault in words, or OpenSSL's reason alone: its own message has the places of its source, and a line
 * end. Node gives the reason in the code (`ERR_SSL_...`) or, where a write failed, in the message (`EPROTO`).
 * Codes of alerts begin with `TLSV1_`, `TLSV13_`, `SSLV3_` or `SSL/TLS_`, by OpenSSL's version.
 *
 * @returns undefined for other errors
 */
export function tlsFault(error: unknown): string | undefined {
  const { code, reason, message } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const text = typeof reason === "string" && reason !== "" ? reason : reasonIn(String(message ?? ""));
  const coded = /^ERR_SSL_(.+)$/.exec(String(code ?? ""))?.[1];
  const name = coded ?? (code === "EPROTO" ? text?.toUpperCase().replaceAll(" ", "_") : undefined);
  if (name === undefined) return undefined;
  const alert = /(?:^|_)ALERT_(.+)$/.exec(name)?.[1] ?? name.replace(/^TLSV1_(?=UNRECOGNIZED_NAME$)/, "");
  return others[name] ?? alerts[alert] ?? text;
}

function reasonIn(message: string): string | undefined {
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
}

/** Codes of OpenSSL's verification (`X509_V_ERR_...`) and Node's own for a certificate of another name. */
const distrust =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_|HOSTNAME_MISMATCH|PATH_LENGTH_|ERR_TLS_CERT_)/;

/** Whether the server's certificate was not trusted. */
export function isUntrusted(error: unknown): boolean {
  const { code } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return typeof code === "string" && distrust.test(code);
}
