import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { stringify } from "yaml";
import { defined } from "../../../base/core/defined.ts";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { nameFault } from "../../../kube-server/api/metadata.ts";
import { planeBase } from "../../../kube-server/api/plane.ts";
import type { Config } from "../../config/schema.ts";
import { authorityOfPlatform } from "../../daemon/platform.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { execApiVersion } from "./credentials.ts";

export interface KubeconfigOptions extends ConfigCommandOptions {
  /** Exactly one of the two. */
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  /** File with the Personal Access Token; default `controlPlane.accessTokenFile`. */
  readonly tokenFile?: string | undefined;
  /** The API's address for clients; default `controlPlane.apiUrl`, else the platform's own address. */
  readonly apiUrl?: string | undefined;
}

/** The command line of this program: a client runs it for every new bearer token. */
export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
}

/** The command line of this process. */
export function ownCall(): ProgramCall {
  return {
    command: process.execPath,
    args: [...process.execArgv, ...(process.argv[1] === undefined ? [] : [resolve(process.argv[1])])],
  };
}

/**
 * `telemetryd kubeconfig`: prints a kubeconfig for a control plane. It holds no token: clients call
 * `telemetryd credentials`, which exchanges the one in the file.
 *
 * @throws INVALID_ARGUMENT, INVALID_CONFIGURATION when a required setting is missing
 */
export async function printKubeconfig(
  options: KubeconfigOptions,
  program: ProgramCall,
  out: LineSink,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const { type, name } = planeOf(options);
  const apiUrl = apiUrlOf(config, options.apiUrl);
  const tokenFile = options.tokenFile ?? config.controlPlane?.accessTokenFile ?? "";
  if (tokenFile === "") {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      "name the file with your Personal Access Token: --token-file FILE, or controlPlane.accessTokenFile",
    );
  }
  const groupDomain = config.platform?.groupDomain ?? config.controlPlane?.groupDomain ?? "";
  const authority = await authorityOf(config, nowMs);
  const call = { ...program, apiUrl, tokenFile: resolve(tokenFile), authority };
  const server = `${apiUrl}${planeBase(type, name, groupDomain)}`;
  out.write(kubeconfig(`${type}-${name}`, server, call));
}

function planeOf({ organization, project }: KubeconfigOptions): {
  type: "organization" | "project";
  name: string;
} {
  const given = [organization, project].filter((name) => name !== undefined);
  const name = given[0];
  if (given.length !== 1 || name === undefined) {
    throw new TelemetrydError("INVALID_ARGUMENT", "give either --organization or --project");
  }
  if (nameFault(name, "label") !== undefined) {
    throw new TelemetrydError("INVALID_ARGUMENT", `"${name}" cannot be the name of a control plane`);
  }
  return { type: organization === undefined ? "project" : "organization", name };
}

function apiUrlOf(config: Config, given: string | undefined): string {
  const chosen = given ?? config.controlPlane?.apiUrl ?? "";
  if (chosen !== "") return chosen.replace(/\/+$/, "");
  if (config.platform === undefined) {
    throw new TelemetrydError("INVALID_ARGUMENT", "name the API's address with --api-url");
  }
  const { host, port } = config.platform.listen;
  if (port === 0) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      "platform.listen leaves the port open: name it with --api-url",
    );
  }
  // A wildcard address is not one to connect to.
  const reachable = ["", "0.0.0.0", "::"].includes(host) ? "localhost" : host;
  return `https://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * The certificates to trust; undefined for the system's. Creates our own authority if the daemon never ran.
 */
async function authorityOf(config: Config, nowMs: number): Promise<string | undefined> {
  const caFile = config.controlPlane?.caFile ?? "";
  if (caFile !== "") {
    return await readFile(caFile, "utf8").catch((cause: unknown) => {
      const message = `controlPlane.caFile: ${caFile} cannot be read: ${describeError(cause)}`;
      throw new TelemetrydError("FILE_UNREADABLE", message, { cause });
    });
  }
  return await authorityOfPlatform(config, nowMs);
}

interface CredentialsCall extends ProgramCall {
  readonly apiUrl: string;
  readonly tokenFile: string;
  readonly authority: string | undefined;
}

function kubeconfig(name: string, server: string, call: CredentialsCall): string {
  const data = call.authority === undefined ? undefined : Buffer.from(call.authority).toString("base64");
  const args = [...call.args, "credentials", "--api-url", call.apiUrl, "--token-file", call.tokenFile];
  // Only some clients pass the authority on to the plug-in.
  if (data !== undefined) args.push("--ca-data", data);
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    clusters: [
      {
        name,
        cluster: defined({ server, "certificate-authority-data": data }),
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    users: [
      {
        name,
        user: {
          exec: {
            apiVersion: execApiVersion,
            command: call.command,
            args,
            interactiveMode: "Never",
            // By what a client passes, the plug-in knows when it renews.
            provideClusterInfo: true,
          },
        },
      },
    ],
  });
}
