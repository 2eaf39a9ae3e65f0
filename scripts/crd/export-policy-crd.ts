import type { Schema } from "../../src/kube-server/api/schema.ts";
import { definitionOf } from "../../src/kube-server/kinds/custom-resource-definition.ts";
import { exportPolicyKind } from "../../src/platform/kinds/telemetry/export-policy.ts";

/**
 * The CustomResourceDefinition of ExportPolicy, from the schema shared by `validate`, the exporter and the
 * platform.
 *
 * @param groupDomain the group is `telemetry.<groupDomain>`
 */
export function exportPolicyCrd(groupDomain: string) {
  const { metadata, spec, ...head } = definitionOf(exportPolicyKind(groupDomain));
  const labels = { "app.kubernetes.io/name": "telemetryd", "app.kubernetes.io/part-of": "telemetryd" };
  const versions = spec.versions.map(({ schema, ...version }) => ({
    ...version,
    schema: { openAPIV3Schema: childrenLast(schema.openAPIV3Schema) },
  }));
  return { ...head, metadata: { ...metadata, labels }, spec: { ...spec, versions } };
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
