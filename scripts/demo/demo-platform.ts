import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { printKubeconfig } from "../../src/app/commands/platform/kubeconfig.ts";
import { addMember, createOrganization } from "../../src/app/commands/platform/organization.ts";
import { createToken } from "../../src/app/commands/platform/token.ts";
import type { Role } from "../../src/kube-server/api/roles.ts";
import { builtCli } from "../daemon/build.ts";
import { applyPatiently, createPlaneHand } from "./plane-hand.ts";

/**
 * Names of the demo's platform; the project's also appears in config/demo/platform and
 * config/demo/scrape.yaml.
 */
const organization = "demo";
const project = "web";
const user = "demo@example.com";

export interface DemoPlatformOptions {
  readonly configFile: string;
  /** Overrides of the configuration file: `TELEMETRYD_…` */
  readonly env: Readonly<Record<string, string>>;
  readonly apiUrl: string;
  /** Folder of the token and kubeconfig files. */
  readonly folder: string;
}

interface ProxyStatus {
  readonly status: { readonly hostname: string };
}

interface InstanceStatus {
  readonly status: {
    readonly networkInterfaces: readonly { readonly assignments: { readonly networkIP: string } }[];
  };
}

/** The platform part of the demo: the actions of an operator and of a project's members. */
export interface DemoPlatform {
  /** The kubeconfig of the project's control plane, for kubectl. */
  readonly kubeconfig: string;
  /** Settings that make the daemon follow every project of the organization. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates the project and applies its policy and its workload; the daemon must be running. */
  fill(
    files: { readonly project: string; readonly policy: string; readonly workload: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Waits until the policy has the condition Ready, which telemetryd writes. */
  untilPolicyReady(signal: AbortSignal): Promise<void>;
  /** Waits until the workload is available. @returns the address of its instance */
  instanceAddress(signal: AbortSignal): Promise<string>;
  /** Applies the HTTPProxy of a file, and waits until a gateway serves it. @returns its hostname */
  proxyHostname(file: string, signal: AbortSignal): Promise<string>;
}

/** An operator's setup before the daemon's first start: an organization, a member, a token. */
export async function prepareDemoPlatform(
  options: DemoPlatformOptions,
  signal: AbortSignal,
): Promise<DemoPlatform> {
  const { configFile, env, apiUrl, folder } = options;
  const command = { file: configFile, overrides: [], environment: env };
  const printed = async (work: (out: { write(text: string): void }) => Promise<void>): Promise<string> => {
    let text = "";
    await work({ write: (piece) => (text += piece) });
    return text;
  };
  await printed((out) => createOrganization({ ...command, name: organization }, out, signal));
  /** Makes a member and a token for it. @returns the token, and its file */
  const member = async (name: string, role: Role, file: string) => {
    await printed((out) => addMember({ ...command, name: organization, user: name, role }, out, signal));
    const token = await printed((out) => createToken({ ...command, user: name }, out, signal));
    const path = join(folder, file);
    await writeFile(path, token, { mode: 0o600 });
    return { token: token.trim(), path };
  };
  const { token: accessToken, path: tokenFile } = await member(user, "admin", "token");
  // The daemon exports and runs workloads with one token.
  const { path: daemonTokenFile } = await member("telemetryd", "provider", "daemon-token");

  const plane = async (type: "organization" | "project", name: string) => {
    const kubeconfig = join(folder, `${name}.kubeconfig`);
    const wanted = { ...command, [type]: name, tokenFile, apiUrl };
    const program = { command: process.execPath, args: [builtCli] };
    const text = await printed((out) => printKubeconfig(wanted, program, out, Date.now(), signal));
    await writeFile(kubeconfig, text, { mode: 0o600 });
    return kubeconfig;
  };
  const planes = {
    organization: await plane("organization", organization),
    project: await plane("project", project),
  };
  const hand = (type: keyof typeof planes) =>
    createPlaneHand({ kubeconfig: planes[type], apiUrl, accessToken });

  return {
    kubeconfig: planes.project,
    env: {
      TELEMETRYD_CONTROL_PLANE_API_URL: apiUrl,
      TELEMETRYD_CONTROL_PLANE_ORGANIZATION: organization,
      TELEMETRYD_CONTROL_PLANE_ACCESS_TOKEN_FILE: daemonTokenFile,
    },
    async fill(files, limit) {
      await applyPatiently(await hand("organization"), files.project, limit);
      // The project's control plane exists a moment later; until then the request is rejected and retried.
      await applyPatiently(await hand("project"), files.policy, limit);
      await applyPatiently(await hand("project"), files.workload, limit);
    },
    async untilPolicyReady(limit) {
      await (await hand("project")).waitFor("Ready", "exportpolicy/everything-of-ours", limit);
    },
    async instanceAddress(limit) {
      const user = await hand("project");
      await user.waitFor("Available", "workload/hello", limit);
      const { status } = (await user.get("instance/hello-us-dfw-0", limit)) as InstanceStatus;
      return status.networkInterfaces[0]?.assignments.networkIP ?? "";
    },
    async proxyHostname(file, limit) {
      const user = await hand("project");
      await applyPatiently(user, file, limit);
      await user.waitFor("Programmed", "httpproxy/hello", limit);
      return ((await user.get("httpproxy/hello", limit)) as ProxyStatus).status.hostname;
    },
  };
}
