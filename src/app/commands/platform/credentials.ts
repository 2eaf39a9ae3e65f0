import { Agent } from "undici";
import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { SecretFile } from "../../../base/log/secret-file.ts";
import { exchangeToken } from "../../../platform/client/api/exchange.ts";

export interface CredentialsOptions {
  readonly apiUrl: string;
  readonly tokenFile: string;
  /** `KUBERNETES_EXEC_INFO`, kubectl's information about the cluster. */
  readonly execInfo?: string | undefined;
}

/** kubectl requests a new token this long before the old one expires. */
const renewBeforeMs = 5 * 60_000;

/**
 * `telemetryd credentials`: kubectl's exec plug-in. Exchanges the Personal Access Token and prints an
 * ExecCredential (client.authentication.k8s.io/v1).
 *
 * @throws FILE_UNREADABLE for the token's file, UNREACHABLE when the exchange fails or rejects the token
 */
export async function printCredentials(
  options: CredentialsOptions,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const token = await new SecretFile(options.tokenFile, systemClock).value(signal);
  const ca = authorityOf(options.execInfo);
  const dispatcher = new Agent(ca === undefined ? {} : { connect: { ca } });
  try {
    const result = await exchangeToken(options.apiUrl, token, dispatcher, signal);
    if (result.outcome !== "exchanged") throw new TelemetrydError("UNREACHABLE", result.message);
    const { text, expiresMs } = result.bearer;
    const expiry =
      expiresMs === undefined
        ? {}
        : { expirationTimestamp: new Date(expiresMs - renewBeforeMs).toISOString() };
    const credential = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: text, ...expiry },
    };
    out.write(`${JSON.stringify(credential)}\n`);
  } finally {
    await dispatcher.close();
  }
}

/** The authority that kubectl trusts for the cluster, as PEM. */
function authorityOf(execInfo: string | undefined): string | undefined {
  if (execInfo === undefined || execInfo === "") return undefined;
  try {
    const { spec } = JSON.parse(execInfo) as {
      spec?: { cluster?: { "certificate-authority-data"?: string } };
    };
    const data = spec?.cluster?.["certificate-authority-data"];
    return data === undefined || data === "" ? undefined : Buffer.from(data, "base64").toString();
  } catch {
    return undefined;
  }
}
