import { expect, test } from "vitest";
import { ProjectTenants, type ProjectTenantsOptions } from "./project-tenants.ts";

function tenants(options: Partial<ProjectTenantsOptions> = {}): ProjectTenants {
  const defaults = { form: "header", origin: "name", groupDomain: "platformapis" } as const;
  return new ProjectTenants({ ...defaults, operatorTenant: undefined, ...options });
}

const missing = "the project has no tenant in the metrics store";
const annotation = "the annotation telemetry.platformapis/tenant of its Project";
const entry = "its entry in the operator's file of tenants (metrics.tenants)";
const unusable = "there is no usable tenant in the metrics store";
const rule = "must consist of letters, digits, -, _ and .";

test.each<[origin: ProjectTenantsOptions["origin"], id: string | undefined, expected: string]>([
  ["name", undefined, "ID web"],
  ["name", "ignored", "ID web"],
  ["annotation", undefined, `${missing}: ${annotation} is missing`],
  ["annotation", "", `${unusable}: ${annotation} must not be empty`],
  ["annotation", "a|b", `${unusable}: ${annotation} ${rule}`],
  ["annotation", "team-1", "ID team-1"],
  ["file", undefined, `${missing}: ${entry} is missing`],
  ["file", "team-2", "ID team-2"],
])("by %s, put %j", (origin, id, expected) => {
  const all = tenants({ origin });
  if (origin !== "file") all.annotate("web", id);
  else if (id !== undefined) all.list(new Map([["web", id]]));
  const tenant = all.of("web");
  expect(tenant.kind === "tenant" ? `ID ${tenant.id}` : tenant.message).toBe(expected);
});

test("policies of the directory read as the operator's tenant, or not at all", () => {
  expect(tenants({ operatorTenant: "ops" }).of("directory")).toEqual({ kind: "tenant", id: "ops" });
  expect(tenants().of("directory")).toMatchObject({
    kind: "none",
    message: expect.stringContaining("metrics.operatorTenant must name it"),
  });
});

test("a tenant is the same object until it changes, and a change is announced", () => {
  const all = tenants({ origin: "file" });
  let changes = 0;
  const unsubscribe = all.subscribe(() => changes++);
  all.list(
    new Map([
      ["web", "a"],
      ["shop", "b"],
    ]),
  );
  const [web, shop] = [all.of("web"), all.of("shop")];
  all.list(
    new Map([
      ["web", "a"],
      ["shop", "c"],
    ]),
  );
  expect(all.of("web")).toBe(web);
  expect(all.of("shop")).not.toBe(shop);
  expect(changes).toBe(2);
  unsubscribe();
  all.list(new Map());
  expect(all.of("web").kind).toBe("none");
  expect(changes).toBe(2);
});

test("an annotation counts only where the operator has chosen annotations", () => {
  const listed = tenants({ origin: "file" });
  listed.list(new Map([["web", "a"]]));
  const named = tenants({ origin: "name" });
  const annotated = tenants({ origin: "annotation" });
  for (const all of [listed, named, annotated]) all.annotate("web", "b");
  annotated.list(new Map([["web", "c"]]));
  const idOf = (all: ProjectTenants) => all.of("web");
  expect([listed, named, annotated].map(idOf)).toEqual([
    { kind: "tenant", id: "a" },
    { kind: "tenant", id: "web" },
    { kind: "tenant", id: "b" },
  ]);
});
