import { wholeObjectSchema } from "../../src/kube-server/api/object-meta.ts";
import type { Schema } from "../../src/kube-server/api/schema.ts";
import { exportPolicyKind } from "../../src/platform/kinds/telemetry/export-policy.ts";

/** JSON paths of the kind's columns; the platform's own columns are functions. */
const columnPaths: Readonly<Record<string, string>> = {
  Ready: '.status.conditions[?(@.type=="Ready")].status',
  Delivering: '.status.conditions[?(@.type=="Delivering")].status',
  Reason: '.status.conditions[?(@.type=="Delivering")].reason',
  "Last Delivered": ".status.lastDeliveredTime",
  Age: ".metadata.creationTimestamp",
  Message: '.status.conditions[?(@.type=="Delivering")].message',
};

/**
 * The CustomResourceDefinition of ExportPolicy, from the schema shared by `validate`, the exporter and the
 * platform.
 *
 * @param groupDomain the group is `telemetry.<groupDomain>`
 */
export function exportPolicyCrd(groupDomain: string) {
  const kind = exportPolicyKind(groupDomain);
  const columns = kind.columns.map(({ name, type, description, priority }) => {
    const jsonPath = columnPaths[name];
    if (jsonPath === undefined) throw new Error(`columnPaths lacks the column ${name}`);
    return { name, type, description, priority, jsonPath };
  });
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
          additionalPrinterColumns: columns,
          schema: {
            openAPIV3Schema: childrenLast(crdSchema(kind.schema)),
          },
        },
      ],
    },
  } as const;
}

/** A CRD describes metadata only as an object. */
function crdSchema(schema: Schema): Schema {
  const whole = wholeObjectSchema(schema);
  return { ...whole, properties: { ...whole.properties, metadata: { type: "object" } } };
}

/** Puts a field's own keywords before its children, for the reader. */
function childrenLast({ properties, items, ...own }: Schema): Schema {
  const children = Object.entries(properties ?? {}).map(
    ([name, child]) => [name, childrenLast(child)] as const,
  );
  return {
    ...own,
    ...(items === undefined ? {} : { items: childrenLast(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(children) }),
  };
}
