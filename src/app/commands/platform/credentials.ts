import { Agent } from "undici";
import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { SecretFile } from "../../../base/log/secret-file.ts";
import { type Bearer, exchangeToken } from "../../../platform/client/api/exchange.ts";

export interface CredentialsOptions {
  readonly apiUrl: string;
  readonly tokenFile: string;
  /** The authorities to trust, as PEM in base64; default: those in `execInfo`, else the system's. */
  readonly caData?: string | undefined;
  /** `KUBERNETES_EXEC_INFO`, what the client says about itself and the cluster. */
  readonly execInfo?: string | undefined;
}

/** The exec API of our kubeconfigs: the only version that all clients know. */
export const execApiVersion = "client.authentication.k8s.io/v1beta1";
const newerExecApiVersion = "client.authentication.k8s.io/v1";

/**
 * How long a client may use a bearer token, which itself is valid for longer. Clients request another one
 * when this time is over, and on 401; the platform responds to a revoked token with 403. So a running client
 * is locked out for no longer than this after its Personal Access Token has been replaced.
 */
const useMs = 90_000;

/** Python's client renews a token this long before its end: with less, it does so for every request. */
const pythonRenewsBeforeMs = 5 * 60_000;

/** An ExecCredential that a client passes to its plug-in; hostile or missing fields are undefined. */
interface ExecInfo {
  readonly apiVersion?: unknown;
  readonly spec?: {
    readonly cluster?: { readonly "certificate-authority-data"?: unknown; readonly config?: unknown };
  };
}

/**
 * `telemetryd credentials`: the exec plug-in of kubectl and of every other client that reads a kubeconfig.
 * Exchanges the Personal Access Token and prints an ExecCredential (client.authentication.k8s.io).
 *
 * @throws FILE_UNREADABLE for the token's file, UNREACHABLE when the exchange fails or rejects the token
 */
export async function printCredentials(
  options: CredentialsOptions,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const token = await new SecretFile(options.tokenFile, systemClock).value(signal);
  const info = readExecInfo(options.execInfo);
  const data = options.caData ?? info?.spec?.cluster?.["certificate-authority-data"];
  const ca = typeof data === "string" && data !== "" ? Buffer.from(data, "base64").toString() : undefined;
  const dispatcher = new Agent(ca === undefined ? {} : { connect: { ca } });
  try {
    const result = await exchangeToken(options.apiUrl, token, dispatcher, signal);
    if (result.outcome !== "exchanged") throw new TelemetrydError("UNREACHABLE", result.message);
    out.write(`${JSON.stringify(credentialFor(result.bearer, info, Date.now()))}\n`);
  } finally {
    await dispatcher.close();
  }
}

/** @returns undefined where a client passes none, or something else */
export function readExecInfo(text: string | undefined): ExecInfo | undefined {
  if (text === undefined || text === "") return undefined;
  try {
    const info: unknown = JSON.parse(text);
    return typeof info === "object" && info !== null ? info : undefined;
  } catch {
    return undefined;
  }
}

/** The ExecCredential for a client: in the version that it asks for, with the time at which it renews. */
export function credentialFor(bearer: Bearer, info: ExecInfo | undefined, nowMs: number) {
  // Go's client always passes `config`, others pass nothing at all; Python's passes the rest.
  const isPython = info !== undefined && info.spec?.cluster?.config === undefined;
  const untilMs = nowMs + useMs + (isPython ? pythonRenewsBeforeMs : 0);
  const expiresMs = Math.min(untilMs, bearer.expiresMs ?? Number.POSITIVE_INFINITY);
  return {
    apiVersion: info?.apiVersion === newerExecApiVersion ? newerExecApiVersion : execApiVersion,
    kind: "ExecCredential",
    status: { token: bearer.text, expirationTimestamp: new Date(expiresMs).toISOString() },
  };
}
