import { publishedJsonSchema } from "../../src/app/config/reference.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * The schema of the chart's values. `config` has telemetryd's own schema, so that helm reports a typo in the
 * configuration; only keys that the chart or the environment may supply are not required.
 *
 * Draft 7, which every Helm 3 reads.
 */
export function valuesSchema(): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Values of the chart telemetryd",
    ...object({
      // Helm hands this to a chart that is a dependency of another.
      global: { type: "object" },
      image: object({
        repository: { type: "string", pattern: "^[^\\s:@]+(:[0-9]+/[^\\s:@]+)?$" },
        tag: text,
        digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
        pullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
      }),
      imagePullSecrets: list(name),
      config: configSchema(),
      clusterPolicies: flag,
      replicas: { type: "integer", minimum: 0 },
      redis: object({
        url: text,
        existingSecret: nameOrNone,
        existingSecretKey: { type: "string", pattern: "^[-._a-zA-Z0-9]+$" },
        install: flag,
        image: { type: "string", minLength: 1 },
        storageClass: nameOrNone,
        size: quantity,
        memoryLimit: quantity,
      }),
      existingSecrets: { ...list(name), uniqueItems: true },
      persistence: object({
        enabled: flag,
        storageClass: nameOrNone,
        size: quantity,
        existingClaim: nameOrNone,
      }),
      serviceAccount: object({ create: flag, name: nameOrNone, annotations: texts }),
      rbac: object({ create: flag, aggregate: flag }),
      networkPolicy: object({ enabled: flag, opsFrom: peers, publicFrom: peers }),
      podMonitor: object({
        enabled: flag,
        interval: { type: "string", pattern: "^([0-9]+(ms|[smh]))+$" },
        labels: texts,
      }),
      prometheusRule: object({ enabled: flag, labels: texts, runbookBaseUrl: urlOrNone }),
      podDisruptionBudget: object({
        maxUnavailable: {
          anyOf: [
            { type: "integer", minimum: 0 },
            { type: "string", pattern: "^[0-9]+%$" },
          ],
        },
      }),
      resources: object({ requests: quantities, limits: quantities, claims: list({ type: "object" }) }),
      terminationGracePeriodSeconds: { type: "integer", minimum: 1 },
      podAnnotations: texts,
      podLabels: texts,
      priorityClassName: nameOrNone,
      nodeSelector: texts,
      tolerations: list({ type: "object" }),
      affinity: object({
        nodeAffinity: { type: "object" },
        podAffinity: { type: "object" },
        podAntiAffinity: { type: "object" },
      }),
      topologySpreadConstraints: list({ type: "object" }),
      extraEnv: list({ type: "object", required: ["name"] }),
      extraVolumes: list({ type: "object", required: ["name"] }),
      extraVolumeMounts: list({ type: "object", required: ["name", "mountPath"] }),
      fullnameOverride: nameOrNone,
    }),
  };
}

const text = { type: "string" };
const flag = { type: "boolean" };
const texts = { type: "object", additionalProperties: text };
const name = { type: "string", pattern: "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$" };
const nameOrNone = { type: "string", pattern: "^([a-z0-9]([-.a-z0-9]*[a-z0-9])?)?$" };
const urlOrNone = { type: "string", pattern: "^(https?://[^\\s]+)?$" };
const quantity = {
  anyOf: [{ type: "number" }, { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?([numkMGTPE]|[KMGTPE]i)?$" }],
};
const peers = { type: "array", items: { type: "object", minProperties: 1 } };
const quantities = { type: "object", additionalProperties: quantity };

function list(items: Schema): Schema {
  return { type: "array", items };
}

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", properties, additionalProperties: false };
}

function configSchema(): Schema {
  const { properties } = publishedJsonSchema() as { properties: Record<string, Record<string, unknown>> };
  const sections = Object.entries(properties).map(([section, { required: _, ...schema }]) => [
    section,
    schema,
  ]);
  return object(Object.fromEntries(sections));
}
