import { TelemetrydError } from "../core/errors.ts";
import type { LineSink } from "../core/log.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "./command-config.ts";
import { withAdministration } from "./platform-access.ts";

/**
 * `telemetryd organization create NAME`: makes an organization and its control plane.
 *
 * @throws INVALID_ARGUMENT for a name that is none, or is taken
 */
export async function createOrganization(
  options: ConfigCommandOptions & { readonly name: string },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name } = options;
  const outcome = await withAdministration(config, (admin) => admin.createOrganization(name), signal);
  switch (outcome) {
    case "created":
      out.write(`organization ${name} created\n`);
      return;
    case "exists":
      throw new TelemetrydError("INVALID_ARGUMENT", `the organization ${name} exists already`);
    case "invalid-name":
      throw new TelemetrydError(
        "INVALID_ARGUMENT",
        `"${name}" cannot be the name of an organization: lower-case letters, digits and "-", at most 63, beginning and ending with a letter or digit`,
      );
  }
}

/**
 * `telemetryd organization add-member NAME --user USER`. A user is whoever a token was made for.
 *
 * @throws INVALID_ARGUMENT for an organization that does not exist, or a user that cannot be one
 */
export async function addMember(
  options: ConfigCommandOptions & { readonly name: string; readonly user: string },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name, user } = options;
  checkUser(user);
  const outcome = await withAdministration(config, (admin) => admin.addMember(name, user), signal);
  if (outcome === "no-organization") {
    throw new TelemetrydError("INVALID_ARGUMENT", `there is no organization ${name}`);
  }
  out.write(`${user} ${outcome === "added" ? "is now" : "already is"} a member of ${name}\n`);
}

/** @throws INVALID_ARGUMENT for a name that could be taken for something else in a log or a message */
export function checkUser(user: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$/.test(user)) return;
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `"${user}" cannot be a user: letters, digits and any of . _ @ + -, at most 128, beginning with a letter or digit`,
  );
}
