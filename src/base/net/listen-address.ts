import { once } from "node:events";
import { isIPv6, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { errnoCode, TelemetrydError } from "../core/errors.ts";

export interface ListenAddress {
  /** A name, or an address without brackets; "" means all addresses of the machine. */
  readonly host: string;
  /** 0: the system chooses a free port. */
  readonly port: number;
}

const pattern = /^(?:\[([^\]\s]+)\]|([A-Za-z0-9._-]*)):(\d{1,5})$/;

/**
 * Parses `127.0.0.1:9464`, `localhost:80`, `[::1]:80`, or `:80` for all addresses of the machine.
 *
 * @returns undefined for any other text
 */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  const literal = match[1];
  if (port > 65_535 || (literal !== undefined && !isIPv6(literal))) return undefined;
  return { host: literal ?? match[2] ?? "", port };
}

/** The inverse of {@link parseListenAddress}. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The part of a server that {@link listenOn} uses; Fastify provides it. */
export interface Listener {
  listen(address: { host: string; port: number }): Promise<string>;
}

/** A server of Node's as a {@link Listener} for HTTP. */
export function listenerOf(server: Server): Listener {
  return {
    async listen(address) {
      server.listen(address);
      await once(server, "listening");
      const bound = server.address();
      // Only a Unix socket has another form of address.
      if (typeof bound !== "object" || bound === null) return "";
      return `http://${formatListenAddress({ host: bound.address, port: bound.port })}`;
    },
  };
}

/**
 * Makes a server listen at the address that the configuration key `key` sets.
 *
 * @returns the address as a URL, with the actual port
 * @throws ADDRESS_IN_USE when the address is taken or is not this machine's
 */
export async function listenOn(server: Listener, address: ListenAddress, key: string): Promise<string> {
  try {
    return await server.listen({ port: address.port, host: address.host || anyAddress() });
  } catch (error) {
    const reason = unusable[errnoCode(error) ?? ""];
    if (reason === undefined) throw error;
    const message = `${key}: cannot listen on "${formatListenAddress(address)}": ${reason}`;
    throw new TelemetrydError("ADDRESS_IN_USE", message, { cause: error });
  }
}

const unusable: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process uses the port",
  EADDRNOTAVAIL: "this machine does not have the address",
  EACCES: "the port needs rights that this process does not have",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
};

/** `::` accepts IPv4 too, but fails in a container whose kernel has IPv6 disabled. */
function anyAddress(): string {
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family }) => family === "IPv6"),
  );
  return hasIpv6 ? "::" : "0.0.0.0";
}
