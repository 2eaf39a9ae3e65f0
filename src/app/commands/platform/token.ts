import { parseDuration } from "../../../base/core/duration.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { isValid, type UsedToken } from "../../../kube-server/access/directory.ts";
import { tokenId } from "../../../kube-server/access/token.ts";
import type { Role } from "../../../kube-server/api/roles.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printedJson } from "../printed-json.ts";
import { renderTable } from "../table.ts";
import { audited } from "./audited.ts";
import { checkUser } from "./organization.ts";
import { withAdministration } from "./platform-access.ts";

export interface NewTokenOptions {
  readonly user: string;
  readonly name?: string | undefined;
  /** See {@link parseExpiry}. */
  readonly expires?: string | undefined;
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  readonly role?: Role | undefined;
}

/**
 * `telemetryd token create --user USER`: prints a new Personal Access Token; it is never shown again.
 *
 * @throws INVALID_ARGUMENT for an invalid user, name or expiry, or a name that another token has
 */
export async function createToken(
  options: ConfigCommandOptions & NewTokenOptions,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { user, name, expires = "90d", organization, project, role } = options;
  const hasScope = [organization, project, role].some((part) => part !== undefined);
  const create = async () => {
    checkUser(user);
    if (name !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) {
      const message = `--name: "${name}" cannot be the name of a token: letters, digits and any of . _ -, at most 63`;
      throw new TelemetrydError("INVALID_ARGUMENT", message);
    }
    const wanted = {
      user,
      name,
      expiresAt: parseExpiry(expires, Date.now()),
      scope: hasScope ? { organization, project, role } : undefined,
    };
    return await withAdministration(config, (admin) => admin.createToken(wanted), signal);
  };
  const plane =
    project !== undefined
      ? ({ type: "project", name: project } as const)
      : organization && ({ type: "organization", name: organization } as const);
  const text = await audited(
    config,
    {
      command: "token create",
      verb: "create",
      resource: "tokens",
      tokenUser: user,
      role,
      plane: plane || undefined,
    },
    create,
    (created) => (created === undefined ? { code: 409 } : { code: 201, name: tokenId(created) }),
  );
  if (text === undefined) {
    const message = `${user} has a token ${name} in use; choose another name, or revoke it first`;
    throw new TelemetrydError("INVALID_ARGUMENT", message);
  }
  out.write(`${text}\n`);
}

const dayMs = 24 * 3_600_000;

/**
 * When a token expires.
 *
 * @param text `90d`, a duration such as `12h`, a day or a time such as `2027-01-31`, or `never`
 * @returns RFC 3339; undefined for `never`
 * @throws INVALID_ARGUMENT, also for the past
 */
export function parseExpiry(text: string, nowMs: number): string | undefined {
  if (text === "never") return undefined;
  const days = /^(\d{1,6})d$/.exec(text)?.[1];
  const durationMs = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/.test(text);
  const atMs = durationMs === undefined ? (isTime ? Date.parse(text) : Number.NaN) : nowMs + durationMs;
  if (atMs > nowMs && atMs < nowMs + 36_525 * dayMs) return new Date(atMs).toISOString();
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `--expires: "${text}" must be in the future: 90d, 12h, 2027-01-31, 2027-01-31T12:00Z or never`,
  );
}

/** `telemetryd token list`: names, ids, users, scopes and states; never a token. */
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
  const rows = records.map((token) => [
    ...[token.id, token.name ?? "-", token.user, scopeText(token), stateText(token, Date.now())],
    ...[token.createdAt, token.expiresAt ?? "never", token.lastUsedAt ?? "never"],
  ]);
  out.write(renderTable(["ID", "NAME", "USER", "SCOPE", "STATE", "CREATED", "EXPIRES", "LAST USED"], rows));
}

function scopeText({ scope }: UsedToken): string {
  if (scope === undefined) return "-";
  return Object.entries(scope)
    .map(([part, value]) => `${part}=${value}`)
    .join(",");
}

function stateText(token: UsedToken, nowMs: number): string {
  if (token.revokedAt !== undefined) return "revoked";
  return isValid(token, nowMs) ? "valid" : "expired";
}

/**
 * `telemetryd token revoke TOKEN [--user USER]`: the token, and every bearer token it was exchanged for, is
 * rejected from now on.
 *
 * @throws INVALID_ARGUMENT when no active token has this id or name, or several users have one
 */
export async function revokeToken(
  options: ConfigCommandOptions & { readonly token: string; readonly user?: string | undefined },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { token, user } = options;
  const outcome = await audited(
    config,
    { command: "token revoke", verb: "delete", resource: "tokens", tokenUser: user },
    () => withAdministration(config, (admin) => admin.revokeToken(token, user), signal),
    // What was given is not recorded: it may be a token itself.
    (result) =>
      typeof result === "string"
        ? { code: result === "unknown" ? 404 : 409, name: tokenId(token) }
        : { code: 200, name: result.revoked.join(",") },
  );
  if (typeof outcome !== "string") return void out.write(`token ${token} revoked\n`);
  const message =
    outcome === "ambiguous"
      ? `several users have a token ${token}; add --user, or use its id`
      : `there is no token ${token} in use; telemetryd token list shows them`;
  throw new TelemetrydError("INVALID_ARGUMENT", message);
}
