import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomInteger } from "../support/random.ts";

/** The series of each source; disjoint, so that no sample is selected twice. */
export const jobs = ["equality-a", "equality-b"] as const;

/** The largest `batch.maxSize` that an edit sets; it bounds the samples that one request can repeat. */
export const largestBatch = 2000;
export const smallestBatch = 400;

export interface PolicySink {
  readonly name: string;
  readonly endpoint: string;
}

/** The fields that edits change. None affects a checkpoint's identity, so no edit may lose a sample. */
export interface PolicyVariant {
  readonly edit: number;
  readonly batchTimeout: string;
  readonly maxSize: number;
  readonly backoff: string;
  /** The same selection, written differently. */
  readonly asRegex: boolean;
}

export function randomVariant(edit: number, random: () => number): PolicyVariant {
  return {
    edit,
    batchTimeout: `${randomInteger(random, 500, 2500)}ms`,
    maxSize: randomInteger(random, smallestBatch, largestBatch),
    backoff: `${randomInteger(random, 200, 1500)}ms`,
    asRegex: random() < 0.5,
  };
}

/**
 * The manifest as JSON, which YAML readers accept; `secret` names the one that all sinks authenticate with.
 */
export function manifest(variant: PolicyVariant, sinks: readonly PolicySink[], secret?: string): string {
  const sources = jobs.map((job, index) => ({
    name: `source-${index}`,
    metrics: { metricsql: variant.asRegex ? `{job=~"${job}|none"}` : `{job="${job}"}` },
  }));
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "equality", namespace: "default" },
    spec: {
      sources,
      sinks: sinks.map(({ name, endpoint }) => ({
        name,
        sources: sources.map((source) => source.name),
        target: {
          prometheusRemoteWrite: {
            endpoint: `${endpoint}?edit=${variant.edit}`,
            ...(secret !== undefined && { authentication: { basicAuth: { secretRef: { name: secret } } } }),
            batch: { timeout: variant.batchTimeout, maxSize: variant.maxSize },
            retry: { maxAttempts: 3, backoffDuration: variant.backoff },
          },
        },
      })),
    },
  };
  return JSON.stringify(policy, null, 2);
}

/** A Secret with the credentials of {@link loginOf}. */
export function secretManifest(name: string, password: string): string {
  const stringData = { username: "equality", password };
  const metadata = { name, namespace: "default" };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/basic-auth",
    metadata,
    stringData,
  });
}

/** The `Authorization` header that results from {@link secretManifest} with this password. */
export function loginOf(password: string): string {
  return `Basic ${Buffer.from(`equality:${password}`).toString("base64")}`;
}

/** Replaces a manifest atomically, as a Kubernetes mount and careful editors do. */
export async function writeManifest(folder: string, text: string, name = "equality.json"): Promise<void> {
  const file = join(folder, name);
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
