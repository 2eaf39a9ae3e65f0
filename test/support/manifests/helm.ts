import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import { findServers } from "../servers.ts";
import type { Manifest } from "./kustomize.ts";

export const chart = resolve(import.meta.dirname, "../../../config/helm/telemetryd");

/** Helm's path, where it is available. Never built here: that takes minutes (`npm run servers -- helm`). */
export async function findHelm(): Promise<string | undefined> {
  try {
    return (await findServers(["helm"], { install: false })).helm.path;
  } catch {
    return undefined;
  }
}

export interface HelmResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm without the settings, the plugins and the cluster of the user. */
export async function runHelm(helm: string, args: readonly string[], home: string): Promise<HelmResult> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: `${home}/none` };
  return new Promise((done) => {
    execFile(helm, args, { env, timeout: 60_000, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      done({ ok: error === null, stdout, stderr }),
    );
  });
}

/** `helm template` of the chart, for the Kubernetes that `kubernetes-schema.ts` knows. */
export function templateArgs(release: string, namespace: string, ...more: readonly string[]): string[] {
  return ["template", release, chart, "--namespace", namespace, "--kube-version", "1.34.0", ...more];
}

export function manifestsOf(output: string): Manifest[] {
  return parseAllDocuments(output)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}
