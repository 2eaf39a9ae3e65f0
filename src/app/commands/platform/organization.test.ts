import { expect, test } from "vitest";
import { noUsage } from "../../../platform/server/store/usage.ts";
import { renderOrganization } from "./organization.ts";

test("what is held of what may be held, the organization first, then each project", () => {
  const text = renderOrganization({
    name: "acme",
    usage: { objects: 12, bytes: 5_242_880, projects: 2, policies: 3, sinks: 4 },
    quota: { objects: 100, bytes: 2 ** 29, projects: 10, policies: 20, sinks: 30 },
    members: ["alice@example.com", "bob@example.com"],
    providers: ["bob@example.com"],
    projects: [
      { name: "shop", usage: { objects: 5, bytes: 2_000, projects: 0, policies: 3, sinks: 4 } },
      { name: "web", usage: noUsage },
    ],
    projectQuota: { objects: 50, bytes: 2 ** 20, policies: 10, sinks: 15 },
  });
  expect(text).toBe(
    [
      "                    OBJECTS   BYTES         PROJECTS   POLICIES   SINKS",
      "organization acme   12/100    5MiB/512MiB   2/10       3/20       4/30",
      "project shop        5/50      2KiB/1MiB     0          3/10       4/15",
      "project web         0/50      0B/1MiB       0          0/10       0/15",
      "members: alice@example.com, bob@example.com (provider)",
      "",
    ].join("\n"),
  );
});
