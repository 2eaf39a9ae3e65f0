import { type ClientRequest, type RequestOptions, request as requestPlain } from "node:http";
import { request as requestTls } from "node:https";
import { connect } from "node:net";
import type { RuntimeProbe } from "../../runtime/runtime.ts";

export type NetworkCheck = Exclude<RuntimeProbe["check"], { readonly kind: "exec" }>;

/** Headers that say how the message is sent are the client's. */
const ownHeaders = new Set(["connection", "content-length", "transfer-encoding", "upgrade", "expect", "te"]);

/**
 * Asks an instance at its own address, and nothing else: no redirect is followed, and of a response only its
 * status is read.
 *
 * @returns why it failed, for the tenant; undefined if it succeeded
 */
export async function checkNetwork(
  check: NetworkCheck,
  address: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (check.kind === "tcp") return await checkTcp(check.port, address, signal);
  return await checkHttp(check, address, signal);
}

async function checkTcp(port: number, host: string, signal: AbortSignal): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const end = (why: string | undefined): void => {
      socket.destroy();
      resolve(why);
    };
    socket.once("connect", () => end(undefined));
    socket.on("error", (error) => end(describe(error, signal)));
  });
}

async function checkHttp(
  { port, path, isTls, headers }: Extract<NetworkCheck, { readonly kind: "http" }>,
  host: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const own = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    host,
    port,
    path,
    agent: false,
    signal,
    maxHeaderSize: 16_384,
    rejectUnauthorized: false,
    headers: { "user-agent": "kube-probe/telemetryd", accept: "*/*", ...Object.fromEntries(own) },
  };
  return await new Promise((resolve) => {
    let request: ClientRequest;
    try {
      request = (isTls ? requestTls : requestPlain)(options);
    } catch {
      // Node.js refuses what is no path or header before it sends anything.
      resolve("its path or headers cannot be sent");
      return;
    }
    request.once("response", ({ statusCode = 0 }) => {
      request.destroy();
      resolve(statusCode >= 200 && statusCode < 400 ? undefined : `HTTP status ${statusCode}`);
    });
    request.on("error", (error) => resolve(describe(error, signal)));
    request.end();
  });
}

function describe(error: Error, signal: AbortSignal): string {
  if (signal.aborted) return "no response in time";
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code.startsWith("HPE_")) return "the response is no HTTP";
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}
