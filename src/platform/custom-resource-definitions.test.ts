import { expect, test } from "vitest";
import { structureFaults } from "../../test/support/plane/structural-schema.ts";
import type { PlaneType } from "../kube-server/api/kind.ts";
import { customResourceDefinitionKind } from "../kube-server/kinds/custom-resource-definition.ts";
import { servedKinds } from "./served-kinds.ts";

const kinds = servedKinds("platformapis");
// biome-ignore lint/suspicious/noExplicitAny: definitions are looked into, field by field
const definitions = (plane: PlaneType): any[] => [
  ...(customResourceDefinitionKind(kinds).fixedObjects?.(plane, "2026-11-01T10:00:00Z") ?? []),
];

test("of the custom kinds of a type of plane, by name, each once", () => {
  const names = (plane: PlaneType) => definitions(plane).map(({ metadata }) => metadata.name);
  expect(names("organization")).toEqual(["projects.resourcemanager.platformapis"]);
  const custom = kinds.filter(({ builtIn, planes }) => !builtIn && planes.includes("project"));
  const all = new Set(custom.map(({ plural, group }) => `${plural}.${group}`));
  expect(names("project")).toEqual([...all].sort());
  const uids = definitions("project").map(({ metadata }) => metadata.uid);
  expect(new Set(uids).size).toBe(uids.length);
  expect(uids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test.each(definitions("project").map((definition) => [definition.metadata.name, definition]))(
  "%s is structural, and plain JSON",
  (_, definition) => {
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
    const [version] = definition.spec.versions;
    expect(structureFaults(version.schema.openAPIV3Schema)).toEqual([]);
    expect(JSON.stringify(version)).not.toMatch(/"component"|patch-strategy/);
    expect(version.additionalPrinterColumns.length).toBeGreaterThan(0);
  },
);

test("versions of one kind are in one definition, one of them stored", () => {
  const gateway = definitions("project").find(({ spec }) => spec.names.kind === "Gateway");
  const versions = gateway.spec.versions.map(({ name, served, storage }: Record<string, unknown>) => {
    return [name, served, storage];
  });
  expect(versions).toEqual([
    ["v1", true, true],
    ["v1beta1", true, false],
  ]);
  expect(gateway.status.storedVersions).toEqual(["v1"]);
});

test("columns with the paths of their values", () => {
  const named = (name: string) =>
    definitions("project").find(({ metadata }) => metadata.name.startsWith(name));
  const paths = (name: string) =>
    named(name).spec.versions[0].additionalPrinterColumns.map(
      (column: { jsonPath: string }) => column.jsonPath,
    );
  expect(paths("httpproxies")).toEqual([
    ".status.hostnames[0]",
    '.status.conditions[?(@.type=="Programmed")].status',
    ".metadata.creationTimestamp",
  ]);
  expect(paths("locations.networking")[1]).toBe(".spec.topology.topology\\.platform/city-code");
});
