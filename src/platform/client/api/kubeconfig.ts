import { dirname, resolve } from "node:path";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";

/**
 * Access to the API server of a kubeconfig's current context. Certificates and keys are PEM text or paths.
 */
export interface KubeAccess {
  readonly server: string;
  readonly ca?: PemLocation | undefined;
  readonly insecureSkipVerify: boolean;
  readonly serverName?: string | undefined;
  /** Of the context. */
  readonly namespace?: string | undefined;
  readonly credentials: KubeCredentials;
}

export type PemLocation = { readonly text: string } | { readonly file: string };

export type KubeCredentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "token-file"; readonly file: string }
  | { readonly kind: "certificate"; readonly certificate: PemLocation; readonly key: PemLocation }
  | {
      readonly kind: "exec";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly apiVersion: string;
    };

export type KubeconfigOutcome =
  | { readonly ok: true; readonly access: KubeAccess }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the current context of a kubeconfig (v1 Config).
 *
 * @param path of the file; relative paths in it start at its folder
 */
export function readKubeconfig(text: string, path: string): KubeconfigOutcome {
  const { documents, problems } = parseYaml(text);
  const problem = problems[0];
  if (problem !== undefined) return fault(`line ${problem.line}: ${problem.message}`);
  const config = documents[0]?.value;
  if (!isObject(config)) return fault("it is no object");
  const context = named(config["contexts"], config["current-context"], "context");
  if (context === undefined) return fault("it has no context that current-context names");
  const cluster = named(config["clusters"], context["cluster"], "cluster");
  if (cluster === undefined) return fault("its context names a cluster that it does not have");
  const { server } = cluster;
  if (typeof server !== "string" || !/^https?:\/\//.test(server))
    return fault("its cluster has no server address");
  const user = named(config["users"], context["user"], "user") ?? {};
  const credentials = readCredentials(user, path);
  if (credentials === undefined) {
    return fault("its user has none of token, tokenFile, client-certificate with client-key, exec");
  }
  const ca = pem(cluster, "certificate-authority", path);
  const serverName = cluster["tls-server-name"];
  const { namespace } = context;
  return {
    ok: true,
    access: {
      server: server.replace(/\/+$/, ""),
      ca,
      insecureSkipVerify: cluster["insecure-skip-tls-verify"] === true,
      ...(typeof namespace === "string" && namespace !== "" ? { namespace } : {}),
      serverName: typeof serverName === "string" && serverName !== "" ? serverName : undefined,
      credentials,
    },
  };
}

function fault(message: string): KubeconfigOutcome {
  return { ok: false, message };
}

type Fields = Record<string, unknown>;

/** In a list of `{name, <field>}`, the field of the entry with this name. */
function named(list: unknown, name: unknown, field: string): Fields | undefined {
  if (!Array.isArray(list)) return undefined;
  const found = list.find((item): item is Fields => isObject(item) && item["name"] === name);
  const value = found?.[field];
  return isObject(value) ? value : undefined;
}

/** `<name>-data` in base64, else the file at `<name>`. */
function pem(fields: Fields, name: string, path: string): PemLocation | undefined {
  const data = fields[`${name}-data`];
  if (typeof data === "string" && data !== "") return { text: Buffer.from(data, "base64").toString() };
  const file = fields[name];
  return typeof file === "string" && file !== "" ? { file: resolve(dirname(path), file) } : undefined;
}

function readCredentials(user: Fields, path: string): KubeCredentials | undefined {
  const { token, tokenFile, exec } = user;
  if (typeof token === "string" && token !== "") return { kind: "token", token };
  if (typeof tokenFile === "string" && tokenFile !== "") {
    return { kind: "token-file", file: resolve(dirname(path), tokenFile) };
  }
  const certificate = pem(user, "client-certificate", path);
  const key = pem(user, "client-key", path);
  if (certificate !== undefined && key !== undefined) return { kind: "certificate", certificate, key };
  if (isObject(exec)) return readExec(exec, path);
  return Object.keys(user).length === 0 ? { kind: "none" } : undefined;
}

function readExec(exec: Fields, path: string): KubeCredentials | undefined {
  const { command, args, env, apiVersion } = exec;
  if (typeof command !== "string" || command === "" || typeof apiVersion !== "string") return undefined;
  const entries = (Array.isArray(env) ? env : []).filter(isObject);
  return {
    kind: "exec",
    // A command with a slash is relative to the kubeconfig; one without is looked up on the PATH.
    command: command.includes("/") ? resolve(dirname(path), command) : command,
    args: (Array.isArray(args) ? args : []).map(String),
    env: Object.fromEntries(entries.map(({ name, value }) => [String(name), String(value)])),
    apiVersion,
  };
}
