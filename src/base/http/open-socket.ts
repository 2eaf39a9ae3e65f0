import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
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
      port: Number(url.port || 80),
      noDelay: true,
      ...lookup,
      onread: {
        buffer: Buffer.allocUnsafeSlow(readBytes),
        callback: (length, bytes) => onBytes((bytes as Buffer).subarray(0, length)),
      },
    });
  }
  const socket = connectTls({
    host,
    port: Number(url.port || 443),
    ALPNProtocols: ["http/1.1"],
    // SNI takes no addresses (RFC 6066, section 3); the certificate is checked against the address anyway.
    ...(isIP(host) === 0 && { servername: host }),
    ...lookup,
    ...tls,
  }).setNoDelay(true);
  return socket.on("data", (bytes) => {
    if (!onBytes(bytes)) socket.pause();
  });
}
