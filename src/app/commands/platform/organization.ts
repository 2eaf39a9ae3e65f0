import { formatByteSize } from "../../../base/core/byte-size.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import type { Administration, OrganizationView } from "../../../kube-server/administration.ts";
import type { Role } from "../../../kube-server/api/roles.ts";
import type { Quota, Usage } from "../../../kube-server/store/usage.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { printedJson } from "../printed-json.ts";
import { printable, renderTable } from "../table.ts";
import { audited } from "./audited.ts";
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
  const outcome = await audited(
    config,
    { command: "organization create", verb: "create", resource: "organizations", name },
    () => withAdministration(config, (admin) => admin.createOrganization(name), signal),
    (result) => ({ code: { created: 201, exists: 409, "invalid-name": 422 }[result] }),
  );
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
 * `telemetryd organization add-member NAME --user USER [--role ROLE] [--project PROJECT]`, `admin` by
 * default: gives a member with another role this one. A user exists once a token was created for it.
 *
 * @throws INVALID_ARGUMENT for an organization or a project that does not exist, or an invalid user
 */
export async function addMember(
  options: MemberOptions & { readonly role?: Role },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name, user, role = "admin", project } = options;
  const add = (admin: Administration) => admin.addMember(name, user, role, project);
  const codes = {
    added: 201,
    changed: 200,
    "already-member": 200,
    "no-organization": 404,
    "no-project": 404,
  };
  const outcome = await audited(
    config,
    { command: "organization add-member", verb: "create", ...memberOf(options), role },
    async () => {
      checkUser(user);
      return await withAdministration(config, add, signal);
    },
    (result) => ({ code: codes[result] }),
  );
  if (outcome === "no-organization") throw noOrganization(name);
  if (outcome === "no-project") throw noProject(name, project);
  const article = /^[aeiou]/.test(role) ? "an" : "a";
  const state = outcome === "already-member" ? "already is" : "is now";
  out.write(`${user} ${state} ${article} ${role} of ${placeOf(name, project)}\n`);
}

/**
 * `telemetryd organization remove-member NAME --user USER [--project PROJECT]`: a user's tokens lose access
 * with the next request, and open watches within seconds.
 *
 * @throws INVALID_ARGUMENT for an organization or a project that does not exist, or a user who is no member
 */
export async function removeMember(
  options: MemberOptions,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name, user, project } = options;
  const remove = (admin: Administration) => admin.removeMember(name, user, project);
  const outcome = await audited(
    config,
    { command: "organization remove-member", verb: "delete", ...memberOf(options) },
    () => withAdministration(config, remove, signal),
    (result) => ({ code: result === "removed" ? 200 : 404 }),
  );
  if (outcome === "no-organization") throw noOrganization(name);
  if (outcome === "no-project") throw noProject(name, project);
  const place = placeOf(name, project);
  if (outcome === "removed") return void out.write(`${user} is no longer a member of ${place}\n`);
  throw new TelemetrydError("INVALID_ARGUMENT", `${printable(user)} has no role of ${place}`);
}

/** `telemetryd organization list` */
export async function listOrganizations(
  options: ConfigCommandOptions & { readonly output?: "table" | "json" },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const all = await withAdministration(config, (admin) => admin.listOrganizations(), signal);
  const rows = all.map(({ name, members, projects }) => [name, String(members), String(projects)]);
  if (options.output === "json") out.write(printedJson(all));
  else out.write(renderTable(["NAME", "MEMBERS", "PROJECTS"], rows));
}

const projectsLimitMs = 60_000;

/**
 * `telemetryd organization delete NAME [--with-projects]`
 *
 * @throws INVALID_ARGUMENT for an organization that does not exist, or that has projects; UNSUPPORTED if they
 *   are not gone within a minute
 */
export async function deleteOrganization(
  options: ConfigCommandOptions & { readonly name: string; readonly withProjects?: boolean },
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { name, withProjects = false } = options;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(projectsLimitMs)]);
  const remove = (admin: Administration) => admin.deleteOrganization(name, withProjects, limit);
  const outcome = await audited(
    config,
    { command: "organization delete", verb: "delete", resource: "organizations", name },
    () => withAdministration(config, remove, signal),
    (result) => ({ code: result === "deleted" ? 200 : result === "no-organization" ? 404 : 409 }),
  );
  if (outcome === "deleted") return void out.write(`organization ${name} deleted\n`);
  if (outcome === "no-organization") throw noOrganization(name);
  const shown = outcome.projects.slice(0, 10).join(", ");
  const projects = `${outcome.projects.length} projects (${shown}${outcome.projects.length > 10 ? ", …" : ""})`;
  throw withProjects
    ? new TelemetrydError(
        "UNSUPPORTED",
        `${projects} of ${name} are being deleted, by the platform: it must run; then repeat the command`,
      )
    : new TelemetrydError(
        "INVALID_ARGUMENT",
        `${name} has ${projects}; delete them first, or add --with-projects`,
      );
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
  const members = view.members.map(({ user, role, projects }) => {
    const inProjects = projects.map((each) => `${each.role} of ${each.name}`);
    return `${printable(user)} (${[...(role ? [role] : []), ...inProjects].join(", ")})`;
  });
  return `${table}members: ${members.join(", ") || "none"}\n`;
}

function share(resource: string, used: number, limit: number | undefined): string {
  const show = /bytes$/i.test(resource) ? formatByteSize : String;
  return limit === undefined ? show(used) : `${show(used)}/${show(limit)}`;
}

interface MemberOptions extends ConfigCommandOptions {
  readonly name: string;
  readonly user: string;
  readonly project?: string | undefined;
}

/** A membership as an object of the control plane that it gives access to. */
function memberOf({ name, user, project }: MemberOptions) {
  const plane =
    project === undefined
      ? ({ type: "organization", name } as const)
      : ({ type: "project", name: project } as const);
  return { resource: "members", name: user, plane };
}

function placeOf(organization: string, project: string | undefined): string {
  return project === undefined ? organization : `the project ${project} of ${organization}`;
}

function noProject(organization: string, project = ""): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", `${organization} has no project ${project}`);
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
