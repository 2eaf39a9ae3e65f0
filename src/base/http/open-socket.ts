import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type TLSSocket,
} from "node:tls";
import { withoutBrackets } from "../net/host.ts";

export interface SocketOptions {
  /** `http:` or `https:`; only the host and port are used. */
  readonly url: URL;
  /** For https; `servername` defaults to the URL's host. */
  readonly tls: ConnectionOptions | undefined;
  /** Resolves the host's name; the system's resolver by default. An IP address is not looked up. */
  readonly lookup: LookupFunction | undefined;
  /** Size of the buffer that a plain connection reuses for every read. */
  readonly readBytes: number;
}

/** A URL's host in the form sockets expect: IPv6 addresses without brackets. */
export function hostOf(url: URL): string {
  return withoutBrackets(url.hostname);
}

export function portOf(url: URL): number {
  return Number(url.port || (url.protocol === "https:" ? 443 : 80));
}

/**
 * Opens a socket, with TLS for https.
 *
 * @param onBytes its argument is valid until it returns; returning false stops reading until the socket is
 *   resumed
 */
export function openSocket(options: SocketOptions, onBytes: (bytes: Buffer) => boolean): Socket {
  const { url, tls, readBytes } = options;
  const host = hostOf(url);
  const lookup = options.lookup === undefined ? {} : { lookup: options.lookup };
  if (tls === undefined) {
    return connectPlain({
      host,
      port: portOf(url),
      noDelay: true,
      ...lookup,
      onread: {
        buffer: Buffer.allocUnsafeSlow(readBytes),
        callback: (length, bytes) => onBytes((bytes as Buffer).subarray(0, length)),
      },
    });
  }
  return secureSocket(options, { port: portOf(url), ...lookup }, onBytes);
}

/**
 * Why a certificate is not one of the host: only its subject alternative names count. Node would take its
 * common name, which RFC 9525, section 2, forbids.
 */
export function identityFault(host: string, certificate: PeerCertificate): Error | undefined {
  const subject = {} as PeerCertificate["subject"];
  return checkServerIdentity(host, { ...certificate, subject });
}

/**
 * Opens TLS with the URL's host, over a new connection or a socket that leads there.
 *
 * @param onBytes see {@link openSocket}
 */
export function secureSocket(
  { url, tls }: Pick<SocketOptions, "url" | "tls">,
  over: Pick<ConnectionOptions, "port" | "lookup" | "socket">,
  onBytes: (bytes: Buffer) => boolean,
): TLSSocket {
  const host = hostOf(url);
  const socket = connectTls({
    host,
    ALPNProtocols: ["http/1.1"],
    checkServerIdentity: identityFault,
    // SNI has no addresses (RFC 6066, section 3); the certificate is checked against the address anyway.
    ...(isIP(host) === 0 && { servername: host }),
    ...over,
    ...tls,
  }).setNoDelay(true);
  return socket.on("data", (bytes) => {
    if (!onBytes(bytes)) socket.pause();
  });
}
