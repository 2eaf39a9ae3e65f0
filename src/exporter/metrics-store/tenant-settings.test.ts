import { describe, expect, test } from "vitest";
import { settingsOfTenant, type TenancySettings } from "./tenant-settings.ts";

const common = { flavor: "auto", concurrency: 2 } as const;
const plain: TenancySettings = { ...common, url: "http://store", tenancy: "label" };
const header: TenancySettings = { ...plain, tenancy: "header", tenantHeader: "X-Scope-OrgID" };
const path: TenancySettings = { ...plain, tenancy: "path", url: "http://store/select/{tenant}/prometheus" };

describe("the settings of a tenant's store", () => {
  test("a store without tenants of its own is used as it is", () => {
    expect(settingsOfTenant(plain, undefined)).toBe(plain);
  });

  test("a header names the tenant", () => {
    expect(settingsOfTenant(header, "web")).toMatchObject({
      url: "http://store",
      tenant: { header: "X-Scope-OrgID", id: "web" },
    });
  });

  test("the path names the tenant", () => {
    const settings = settingsOfTenant(path, "12:3");
    expect(settings.url).toBe("http://store/select/12:3/prometheus");
    expect(settings.tenant).toBeUndefined();
  });

  test.each<[name: string, settings: TenancySettings, tenant: string | undefined]>([
    ["no tenant for a header", header, undefined],
    ["no tenant for a path", path, undefined],
    ["an empty one", header, ""],
    ["two in a header", header, "a|b"],
    ["all in a path", path, "multitenant"],
    ["a path of its own", path, "../0"],
    ["a tenant where the store has none", plain, "web"],
    ["no name of the header", { ...header, tenantHeader: undefined }, "web"],
    ["no place in the path", { ...path, url: "http://store/select/0/prometheus" }, "web"],
  ])("never without the right tenant: %s", (_, settings, tenant) => {
    expect(() => settingsOfTenant(settings, tenant)).toThrow();
  });
});
