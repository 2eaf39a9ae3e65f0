import { connect as connectPlain, isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { withoutBrackets } from "../net/host.ts";

export interface SocketOptions {
  /** `http:` or `https:`, of which the host and port count. */
  readonly url: URL;
  /** For https; its `servername` is the URL's host unless it says otherwise. */
  readonly tls: ConnectionOptions | undefined;
  /** How the host's name is resolved; the system's way without it. An IP address is not looked up. */
  readonly lookup: LookupFunction | undefined;
  /** A plain connection reads so much at a time, always into the same memory. */
  readonly readBytes: number;
}

/** A URL's host as sockets take it: IPv6 addresses without their brackets. */
export function hostOf(url: URL): string {
  return withoutBrackets(url.hostname);
}

/**
 * A socket that is connecting, over TLS for https.
 *
 * @param onBytes the bytes are its own until it returns; false stops reading until the socket is resumed
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
    // An address is no name for SNI (RFC 6066, section 3); the certificate is checked against it all the same.
    ...(isIP(host) === 0 && { servername: host }),
    ...lookup,
    ...tls,
  }).setNoDelay(true);
  return socket.on("data", (bytes) => {
    if (!onBytes(bytes)) socket.pause();
  });
}
