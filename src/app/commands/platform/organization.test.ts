import { expect, test } from "vitest";
import { countedResources } from "../../../platform/default-quotas.ts";
import { renderOrganization } from "./organization.ts";

const resources = ["objects", "bytes", ...countedResources];
const noUsage = Object.fromEntries(resources.map((resource) => [resource, 0]));

test("what is held of what may be held, the organization first, then each project", () => {
  const text = renderOrganization({
    name: "acme",
    usage: { ...noUsage, objects: 12, bytes: 5_242_880, projects: 2, policies: 3, sinks: 4 },
    quota: { objects: 100, bytes: 2 ** 29, projects: 10, policies: 20, sinks: 30, memoryBytes: 2 ** 40 },
    members: [
      { user: "alice@example.com", role: "admin", projects: [{ name: "web", role: "viewer" }] },
      { user: "bob@example.com", projects: [{ name: "shop", role: "provider" }] },
    ],
    projects: [
      { name: "shop", usage: { ...noUsage, objects: 5, bytes: 2_000, policies: 3, sinks: 4, cpu: 2 } },
      { name: "web", usage: noUsage },
    ],
    projectQuota: { objects: 50, bytes: 2 ** 20, policies: 10, sinks: 15 },
  });
  expect(text).toBe(
    [
      "                    OBJECTS   BYTES         PROJECTS   POLICIES   SINKS   INSTANCES   CPU   MEMORY       DISK",
      "organization acme   12/100    5MiB/512MiB   2/10       3/20       4/30    0           0     0B/1024GiB   0B",
      "project shop        5/50      2KiB/1MiB     0          3/10       4/15    0           2     0B           0B",
      "project web         0/50      0B/1MiB       0          0/10       0/15    0           0     0B           0B",
      "members: alice@example.com (admin, viewer of web), bob@example.com (provider of shop)",
      "",
    ].join("\n"),
  );
});
