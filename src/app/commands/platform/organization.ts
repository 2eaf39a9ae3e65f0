import { formatByteSize } from "../../../base/core/byte-size.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import type { OrganizationView } from "../../../kube-server/administration.ts";
import type { Role } from "../../../kube-server/api/kind.ts";
import type { Quota, Usage } from "../../../kube-server/store/usage.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printable, renderTable } from "../table.ts";
import { withAdministration } from "./platform-access.ts";

/**
 * `telemetryd organization create NAME`: creates an organization and its control plane.
 *
 * @throws INVALID_ARGUMENT for a name that is invalid or taken
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
 * `telemetryd organization add-member NAME --user USER [--role ROLE]`, `member` by default: gives a member of
 * the other role this one. A user exists once a token was created for it.
 *
 * @throws INVALID_ARGUMENT for an organization that does not exist, or an invalid user
 */
export async function addMember(
  options: ConfigCommandOptions & { readonly name: string; readonly user: string; readonly role?: Role },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name, user, role = "member" } = options;
  checkUser(user);
  const outcome = await withAdministration(config, (admin) => admin.addMember(name, user, role), signal);
  if (outcome === "no-organization") throw noOrganization(name);
  out.write(`${user} ${outcome === "already-member" ? "already is" : "is now"} a ${role} of ${name}\n`);
}

/**
 * `telemetryd organization show NAME`: members, and the usage and quotas of the organization and its
 * projects.
 *
 * @throws INVALID_ARGUMENT for an organization that does not exist
 */
export async function showOrganization(
  options: ConfigCommandOptions & { readonly name: string; readonly output?: "table" | "json" },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name } = options;
  const view = await withAdministration(config, (admin) => admin.showOrganization(name), signal);
  if (view === undefined) throw noOrganization(name);
  out.write(options.output === "json" ? `${JSON.stringify(view, undefined, 2)}\n` : renderOrganization(view));
}

/** One row for the organization, then one per project, each with usage and quota. */
export function renderOrganization(view: OrganizationView): string {
  const resources = Object.keys(view.usage);
  const row = (title: string, usage: Usage, quota: Quota) => [
    title,
    ...resources.map((resource) => share(resource, usage[resource] ?? 0, quota[resource])),
  ];
  const header = ["", ...resources.map((resource) => resource.replace(/Bytes$/, "").toUpperCase())];
  const projects = view.projects.map(({ name, usage }) => row(`project ${name}`, usage, view.projectQuota));
  const table = renderTable(header, [row(`organization ${view.name}`, view.usage, view.quota), ...projects]);
  const members = view.members.map((user) => {
    return view.providers.includes(user) ? `${printable(user)} (provider)` : printable(user);
  });
  return `${table}members: ${members.join(", ") || "none"}\n`;
}

function share(resource: string, used: number, limit: number | undefined): string {
  const show = /bytes$/i.test(resource) ? formatByteSize : String;
  return limit === undefined ? show(used) : `${show(used)}/${show(limit)}`;
}

function noOrganization(name: string): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", `there is no organization ${name}`);
}

/** @throws INVALID_ARGUMENT for a name that could be misread in a log or a message */
export function checkUser(user: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}$/.test(user)) return;
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `"${user}" cannot be a user: letters, digits and any of . _ @ + -, at most 128, beginning with a letter or digit`,
  );
}
