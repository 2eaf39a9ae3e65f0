import { exportPolicyKind } from "../../src/platform/kinds/export-policy.ts";
import type { Schema } from "../../src/platform/schema/schema.ts";

/** A schema as a CustomResourceDefinition has it: with rules in the Common Expression Language. */
export interface CrdSchema extends Omit<Schema, "properties" | "items" | "additionalProperties"> {
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly items?: CrdSchema;
  readonly additionalProperties?: CrdSchema;
  readonly maxProperties?: number;
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
}

/** RFC 1123 label, as src/policy/schema.ts wants names of sources and sinks. */
const itemName: CrdSchema = { pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" };

/** Go's time.ParseDuration, without a sign that would make it less than nothing. */
const durationPattern = "^\\+?(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";

/** `maxLength` bounds what an API server reckons a rule may cost. */
const durationUpTo = (max: string): CrdSchema => ({
  pattern: durationPattern,
  maxLength: 64,
  "x-kubernetes-validations": [
    {
      rule: `duration(self) > duration('0s') && duration(self) <= duration('${max}')`,
      message: `must be more than 0 and at most ${max}`,
    },
  ],
});

/**
 * Exactly one of several kinds. Unknown fields would be taken out before anything is checked, and with them the second
 * choice: here they are kept, to be counted.
 */
const oneKind: CrdSchema = { "x-kubernetes-preserve-unknown-fields": true, maxProperties: 1 };

/**
 * What src/policy checks in code, beside the types and bounds that its schema already prints. By the place in the spec; `[]` is
 * an item of a list. Names of sources and sinks are unique because their lists are maps keyed by name.
 *
 * MetricsQL itself has no place here: what cannot be parsed is reported in the policy's status.
 */
export const specRules: Readonly<Record<string, CrdSchema>> = {
  "": {
    "x-kubernetes-validations": [
      {
        rule: "self.sinks.all(sink, sink.sources.all(name, self.sources.exists(source, source.name == name)))",
        message: "every name in a sink's sources must be that of one of spec.sources",
      },
    ],
  },
  "sources[].name": itemName,
  "sources[].metrics": oneKind,
  "sinks[].name": itemName,
  "sinks[].sources": { "x-kubernetes-list-type": "set" },
  "sinks[].sources[]": { maxLength: 63 },
  "sinks[].target": oneKind,
  "sinks[].target.prometheusRemoteWrite.endpoint": {
    // No user name or password, no fragment, nothing that a URL parser would have to mend.
    pattern:
      "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@:\\\\\\s\\p{Z}\\p{Cc}][^/?#@\\\\\\s\\p{Z}\\p{Cc}]*([/?][^#\\\\\\s\\p{Z}\\p{Cc}]*)?$",
    "x-kubernetes-validations": [
      { rule: "isURL(self)", message: "must be an absolute http or https URL" },
      {
        rule: "!isURL(self) || url(self).getPort() == '' || int(url(self).getPort()) <= 65535",
        message: "must have a port of at most 65535",
      },
    ],
  },
  "sinks[].target.prometheusRemoteWrite.authentication": oneKind,
  "sinks[].target.prometheusRemoteWrite.batch.timeout": durationUpTo("1h"),
  "sinks[].target.prometheusRemoteWrite.retry.backoffDuration": durationUpTo("10m"),
};

/** Where each of the kind's columns is in the object: the columns of the platform are functions. */
const columnPaths: Readonly<Record<string, string>> = {
  Ready: '.status.conditions[?(@.type=="Ready")].status',
  Reason: '.status.conditions[?(@.type=="Ready")].reason',
  Message: '.status.conditions[?(@.type=="Ready")].message',
};

/**
 * The CustomResourceDefinition of ExportPolicy, from the one schema that `validate`, the exporter and the platform use.
 *
 * @param groupDomain the group is `telemetry.<groupDomain>`
 */
export function exportPolicyCrd(groupDomain: string) {
  const kind = exportPolicyKind(groupDomain);
  const { spec, status } = kind.schema.properties ?? {};
  const columns = kind.columns.map(({ name, type, description, priority }) => {
    const jsonPath = columnPaths[name];
    if (jsonPath === undefined) throw new Error(`columnPaths lacks the column ${name}`);
    return { name, type, description, priority, jsonPath };
  });
  const unused = new Set(Object.keys(specRules));
  const withRules = addRules(spec as CrdSchema, "", unused);
  if (unused.size > 0)
    throw new Error(`specRules names places that the spec lacks: ${[...unused].join(", ")}`);
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${kind.plural}.${kind.group}`,
      labels: { "app.kubernetes.io/name": "telemetryd", "app.kubernetes.io/part-of": "telemetryd" },
    },
    spec: {
      group: kind.group,
      scope: "Namespaced",
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
      },
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            ...columns,
            {
              name: "Age",
              type: "date",
              description: "How long ago the object was created.",
              priority: 0,
              jsonPath: ".metadata.creationTimestamp",
            },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: kind.schema.description,
              required: kind.schema.required,
              properties: {
                apiVersion: { type: "string", description: "The group and version of the object." },
                kind: { type: "string", description: "The kind of the object." },
                metadata: { type: "object" },
                spec: withRules,
                status,
              },
            } as CrdSchema,
          },
        },
      ],
    },
  } as const;
}

function addRules(schema: CrdSchema, path: string, unused: Set<string>): CrdSchema {
  unused.delete(path);
  const { properties, items, ...own } = schema;
  return {
    ...own,
    ...specRules[path],
    ...(items === undefined ? {} : { items: addRules(items, `${path}[]`, unused) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [
              name,
              addRules(child, path === "" ? name : `${path}.${name}`, unused),
            ]),
          ),
        }),
  };
}
