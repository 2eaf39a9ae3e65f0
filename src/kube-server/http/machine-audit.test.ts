import fc from "fast-check";
import { expect, test } from "vitest";
import { type MachineAction, machineAuditLine } from "./machine-audit.ts";

const call = {
  ...{ groupDomain: "example.com", account: "ops", userAgent: "telemetryd/1.2.3 (token create)" },
  ...{ code: 201, receivedMs: 1_000, endedMs: 2_000 },
};
const resourcemanager = "/apis/resourcemanager.example.com/v1alpha";

test("an event has the fields of audit.k8s.io/v1, and names the account of the machine", () => {
  const plane = { type: "project", name: "web" } as const;
  const action = { verb: "create", resource: "tokens", name: "abc", tokenUser: "alice", plane };
  const line = machineAuditLine({ ...action, role: "viewer" }, { ...call, sudoAccount: "jo" });
  expect(JSON.parse(line)).toEqual({
    ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", level: "Metadata", stage: "ResponseComplete" },
    auditID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    requestURI: `${resourcemanager}/projects/web/control-plane${resourcemanager}/tokens/abc`,
    verb: "create",
    user: {
      ...{ username: "system:machine:ops", groups: ["system:masters"] },
      extra: { "example.com/sudo-user": ["jo"] },
    },
    userAgent: "telemetryd/1.2.3 (token create)",
    objectRef: {
      ...{ resource: "tokens", name: "abc" },
      ...{ apiGroup: "resourcemanager.example.com", apiVersion: "v1alpha" },
    },
    responseStatus: { metadata: {}, code: 201 },
    requestReceivedTimestamp: "1970-01-01T00:00:01.000000Z",
    stageTimestamp: "1970-01-01T00:00:02.000000Z",
    annotations: {
      ...{ "example.com/control-plane": "project/web", "example.com/token-user": "alice" },
      "example.com/role": "viewer",
    },
  });
});

test.each<[MachineAction, number, string, string | undefined]>([
  [{ verb: "create", resource: "organizations", name: "acme" }, 409, "organizations/acme", "Conflict"],
  [{ verb: "get", resource: "backups" }, 200, "backups", undefined],
  [{ verb: "create", resource: "backups", subresource: "restore" }, 400, "backups/restore", "BadRequest"],
  [{ verb: "delete", resource: "tokens" }, 404, "tokens", "NotFound"],
  [{ verb: "create", resource: "organizations", name: "A" }, 422, "organizations/A", "Invalid"],
  [{ verb: "get", resource: "backups" }, 500, "backups", "InternalError"],
  [{ verb: "get", resource: "backups" }, 503, "backups", "ServiceUnavailable"],
])("%j with %d", (action, code, path, reason) => {
  const event = JSON.parse(machineAuditLine(action, { ...call, code }));
  expect(event.requestURI).toBe(`${resourcemanager}/${path}`);
  expect(event.responseStatus).toEqual({ metadata: {}, code, ...(reason && { reason }) });
  expect(event.annotations).toBeUndefined();
});

test("the group of Secrets is Kubernetes' core", () => {
  const event = JSON.parse(machineAuditLine({ verb: "list", resource: "secrets", group: "core" }, call));
  expect([event.requestURI, event.objectRef]).toEqual([
    "/api/v1/secrets",
    { resource: "secrets", apiVersion: "v1" },
  ]);
});

test("whatever an argument has, an event is one short line of printable ASCII", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20_000 }),
    fc.constant('"}\n{"kind":"Event"\u001b[2J'),
  );
  fc.assert(
    fc.property(hostile, hostile, (name, account) => {
      const plane = { type: "project", name } as const;
      const action = { verb: "create", resource: "members", name, tokenUser: name, plane };
      const line = machineAuditLine(action, { ...call, account, sudoAccount: account, userAgent: name });
      expect(line).toMatch(/^[\x20-\x7e]{1,32000}\n$/);
      expect(JSON.parse(line).verb).toBe("create");
    }),
  );
});
