import { type Command, Option } from "commander";
import type { Role } from "../../../kube-server/api/roles.ts";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  tableOrJson,
} from "../command.ts";
import type { NewTokenOptions } from "./token.ts";

/** Registers the commands of the platform. */
export function registerPlatform(program: Command, context: CommandContext): void {
  registerOrganization(program, context);
  registerToken(program, context);
  registerAccess(program, context);
}

interface MemberCommandOptions extends ConfigOptions {
  readonly user: string;
  readonly project?: string;
}

function registerOrganization(program: Command, { stdout, stopSignal }: CommandContext): void {
  const organization = program
    .command("organization")
    .description("organizations of the platform that runs here");

  configured(organization.command("create"))
    .description("create an organization")
    .argument("<name>")
    .action(async (name: string, options: ConfigOptions) => {
      const { createOrganization } = await import("./organization.ts");
      await createOrganization({ ...configSources(options), name }, stdout, stopSignal());
    });

  configured(organization.command("add-member"))
    .description("make a user a member of an organization, or change a member's role")
    .argument("<name>")
    .requiredOption("--user <user>", "the user")
    .addOption(
      new Option("--role <role>", "what the user may do")
        .choices(["viewer", "editor", "admin", "provider"])
        .default("admin"),
    )
    .option("--project <project>", "only there, in place of the role in the organization")
    .action(async (name: string, options: MemberCommandOptions & { role: Role }) => {
      const { addMember } = await import("./organization.ts");
      await addMember({ ...configSources(options), name }, stdout, stopSignal());
    });

  configured(organization.command("remove-member"))
    .description("remove a user from an organization and all of its projects")
    .argument("<name>")
    .requiredOption("--user <user>", "the user")
    .option("--project <project>", "remove only the user's role in this project")
    .action(async (name: string, options: MemberCommandOptions) => {
      const { removeMember } = await import("./organization.ts");
      await removeMember({ ...configSources(options), name }, stdout, stopSignal());
    });

  configured(organization.command("list"))
    .description("list organizations")
    .addOption(tableOrJson())
    .action(async (options: ConfigOptions & { output: "table" | "json" }) => {
      const { listOrganizations } = await import("./organization.ts");
      await listOrganizations(configSources(options), stdout, stopSignal());
    });

  configured(organization.command("delete"))
    .description("delete an organization with its members and its control plane")
    .argument("<name>")
    .option("--with-projects", "also delete its projects, with everything in them")
    .action(async (name: string, options: ConfigOptions & { withProjects?: boolean }) => {
      const { deleteOrganization } = await import("./organization.ts");
      await deleteOrganization(
        { withProjects: false, ...configSources(options), name },
        stdout,
        stopSignal(),
      );
    });

  configured(organization.command("show"))
    .description("show members and quota usage")
    .argument("<name>")
    .addOption(tableOrJson())
    .action(async (name: string, options: ConfigOptions & { output: "table" | "json" }) => {
      const { showOrganization } = await import("./organization.ts");
      await showOrganization({ ...configSources(options), name }, stdout, stopSignal());
    });
}

function registerToken(program: Command, { stdout, stopSignal }: CommandContext): void {
  const token = program.command("token").description("Personal Access Tokens of the platform that runs here");

  configured(token.command("create"))
    .description("create a token; it is shown only once")
    .requiredOption("--user <user>", "whose it is")
    .option("--name <name>", "by which it is listed and revoked")
    .option("--expires <when>", "90d, 12h, 2027-01-31 or never", "90d")
    .option("--organization <organization>", "the only organization that it reaches")
    .option("--project <project>", "the only project that it reaches")
    .addOption(new Option("--role <role>", "the most that it may do").choices(["viewer", "editor", "admin"]))
    .action(async (options: ConfigOptions & NewTokenOptions) => {
      const { createToken } = await import("./token.ts");
      await createToken(configSources(options), stdout, stopSignal());
    });

  configured(token.command("list"))
    .description("list tokens, with their scopes, expiry and last use")
    .addOption(tableOrJson())
    .action(async (options: ConfigOptions & { output: "table" | "json" }) => {
      const { listTokens } = await import("./token.ts");
      await listTokens(configSources(options), stdout, stopSignal());
    });

  configured(token.command("revoke"))
    .description("revoke a token")
    .argument("<token>", "its id or name")
    .option("--user <user>", "whose it is, where several users have one of that name")
    .action(async (token: string, options: ConfigOptions & { user?: string }) => {
      const { revokeToken } = await import("./token.ts");
      await revokeToken({ ...configSources(options), token }, stdout, stopSignal());
    });
}

interface KubeconfigCommandOptions extends ConfigOptions {
  readonly organization?: string;
  readonly project?: string;
  readonly tokenFile?: string;
  readonly apiUrl?: string;
}

/** How kubectl reaches a control plane. */
function registerAccess(program: Command, { stdout, stopSignal }: CommandContext): void {
  configured(program.command("kubeconfig"))
    .description("print a kubeconfig for a control plane of the platform")
    .option("--organization <name>", "the control plane of this organization")
    .option("--project <name>", "the control plane of this project")
    .option("--token-file <file>", "file with your token; controlPlane.accessTokenFile by default")
    .option("--api-url <url>", "where the platform is reached")
    .action(async (options: KubeconfigCommandOptions) => {
      const { ownCall, printKubeconfig } = await import("./kubeconfig.ts");
      await printKubeconfig(configSources(options), ownCall(), stdout, Date.now(), stopSignal());
    });

  program
    .command("credentials")
    .description("exec plugin of kubectl and other clients: exchange a token for a bearer token")
    .requiredOption("--api-url <url>", "the platform's address")
    .requiredOption("--token-file <file>", "file with the token")
    .option("--ca-data <base64>", "the authorities to trust, as PEM in base64")
    .action(async (options: { apiUrl: string; tokenFile: string; caData?: string }) => {
      const { printCredentials } = await import("./credentials.ts");
      const execInfo = process.env["KUBERNETES_EXEC_INFO"];
      await printCredentials({ ...options, execInfo }, stdout, stopSignal());
    });
}
