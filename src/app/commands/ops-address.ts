import { Option } from "commander";
import { describeError, TelemetrydError } from "../../base/core/errors.ts";
import { parseUrl } from "../../base/core/url.ts";
import { formatListenAddress, parseListenAddress } from "../../base/net/listen-address.ts";
import { commandHeader } from "../ops/command-request.ts";

const usualAddress = "http://127.0.0.1:9464";

/** `--address`: where commands ask a running daemon. */
export function opsAddressOption(): Option {
  return new Option("--address <url>", "the daemon's ops address").default(
    defaultOpsAddress(process.env["TELEMETRYD_OPS_LISTEN"]),
    `${usualAddress}, or as TELEMETRYD_OPS_LISTEN has it`,
  );
}

/** @param listen value of `ops.listen`, if it is in the environment */
export function defaultOpsAddress(listen: string | undefined): string {
  const parsed = parseListenAddress(listen ?? "");
  if (parsed === undefined) return usualAddress;
  const { host, port } = parsed;
  const isAny = host === "" || host === "0.0.0.0";
  return `http://${formatListenAddress({ host: isAny ? "127.0.0.1" : host === "::" ? "::1" : host, port })}`;
}

/**
 * The URL of a path at an ops address: a URL, or host:port.
 *
 * @throws INVALID_ARGUMENT for an invalid address
 */
export function opsUrl(address: string, path: string): URL {
  const text = /^https?:\/\//i.test(address) ? address : `http://${address}`;
  if (parseUrl(text) === undefined) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      `--address: "${address}" is no address; write it like ${usualAddress}`,
    );
  }
  return new URL(path, text.endsWith("/") ? text : `${text}/`);
}

export function unreachable({ origin }: URL, reason: string, cause: unknown): TelemetrydError {
  return new TelemetrydError(
    "UNREACHABLE",
    `no telemetryd responds at ${origin} (${reason}); is it running, and is this the address of ops.listen? Give another one with --address`,
    { cause },
  );
}

/** A command's request to a running daemon, which serves some paths to such only. @throws UNREACHABLE */
export async function askDaemon(url: URL, method: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { method, headers: { [commandHeader]: "1" }, signal, redirect: "manual" });
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(url, describeError(error), error);
  }
}
