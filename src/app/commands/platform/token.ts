import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printedJson } from "../printed-json.ts";
import { renderTable } from "../table.ts";
import { checkUser } from "./organization.ts";
import { withAdministration } from "./platform-access.ts";

/** `telemetryd token create --user USER`: prints a new Personal Access Token; it is never shown again. */
export async function createToken(
  options: ConfigCommandOptions & { readonly user: string },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  checkUser(options.user);
  const text = await withAdministration(config, (admin) => admin.createToken(options.user), signal);
  out.write(`${text}\n`);
}

/** `telemetryd token list`: ids, users and states; never a token. */
export async function listTokens(
  options: ConfigCommandOptions & { readonly output?: "table" | "json" },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const records = await withAdministration(config, (admin) => admin.listTokens(), signal);
  const shown = records.map(({ hash: _, ...record }) => record);
  if (options.output === "json") {
    out.write(printedJson(shown));
    return;
  }
  const rows = shown.map(({ id, user, createdAt, revokedAt }) => [id, user, createdAt, revokedAt ?? "-"]);
  out.write(renderTable(["ID", "USER", "CREATED", "REVOKED"], rows));
}

/**
 * `telemetryd token revoke ID`: the token, and every bearer token it was exchanged for, is rejected from now
 * on.
 *
 * @throws INVALID_ARGUMENT when no active token has this id
 */
export async function revokeToken(
  options: ConfigCommandOptions & { readonly id: string },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const isRevoked = await withAdministration(config, (admin) => admin.revokeToken(options.id), signal);
  if (!isRevoked) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      `there is no token ${options.id} in use; telemetryd token list shows them`,
    );
  }
  out.write(`token ${options.id} revoked\n`);
}
