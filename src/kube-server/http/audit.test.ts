import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { secretKind } from "../kinds/secret.ts";
import { type Attempt, type AttemptOutcome, type AuditSink, createAudit } from "./audit.ts";

const base = "/apis/resourcemanager.example.com/v1alpha/projects/web/control-plane";
const alice = { user: "alice", tokenId: "abc" };

interface Sent {
  readonly method?: string;
  readonly url: string;
  readonly userAgent?: string;
  readonly caller?: typeof alice | undefined;
}

function attempt({ method = "GET", url, userAgent = "kubectl/v1", caller }: Sent): Attempt {
  const request = {
    ...{ method, url, headers: { "user-agent": userAgent }, socket: { remoteAddress: "192.0.2.7" } },
  } as unknown as IncomingMessage;
  return { request, receivedMs: 1_000, isRecorded: false, ...(caller && { caller }) };
}

function audit(sink?: AuditSink) {
  const lines: string[] = [];
  const counts: string[] = [];
  let nowMs = 2_000;
  const record = createAudit({
    ...{ groupDomain: "example.com", kinds: [secretKind] },
    sink: sink ?? ((line) => lines.push(line) > 0),
    counts: { written: () => counts.push("written"), lost: (reason) => counts.push(reason) },
    nowMs: () => nowMs,
  });
  const events = () => lines.map((line) => JSON.parse(line));
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { record, lines, events, counts, advance };
}

const configMaps = `${base}/api/v1/namespaces/default/configmaps`;
const secrets = `${base}/api/v1/namespaces/default/secrets`;
const exchange = "/platform-os/oauth/token/exchange";

test.each<[string, string, number, string | undefined]>([
  ["GET", `${configMaps}/a`, 200, undefined],
  ["GET", `${configMaps}?watch=true`, 200, undefined],
  ["GET", `${configMaps}/a`, 404, undefined],
  ["GET", `${configMaps}/a`, 403, "get configmaps a ResponseComplete"],
  ["HEAD", `${secrets}/a`, 200, "get secrets a ResponseComplete"],
  ["GET", secrets, 200, "list secrets undefined ResponseComplete"],
  ["GET", `${base}/api/v1/secrets?watch=1`, 200, "watch secrets undefined ResponseStarted"],
  ["GET", `${secrets}?watch=1`, 429, "watch secrets undefined ResponseComplete"],
  ["GET", `${base}/apis/other.example.com/v1/secrets`, 404, undefined],
  ["POST", configMaps, 201, "create configmaps made ResponseComplete"],
  ["POST", configMaps, 422, "create configmaps made ResponseComplete"],
  ["PUT", `${configMaps}/a`, 409, "update configmaps a ResponseComplete"],
  ["PATCH", `${configMaps}/a`, 200, "patch configmaps a ResponseComplete"],
  ["DELETE", `${configMaps}/a`, 200, "delete configmaps a ResponseComplete"],
  ["DELETE", configMaps, 200, "deletecollection configmaps undefined ResponseComplete"],
  ["GET", exchange, 200, "get undefined undefined ResponseComplete"],
  ["GET", "/version", 200, undefined],
  ["GET", "/version", 403, "get undefined undefined ResponseComplete"],
  ["POST", "/%zz", 400, "post undefined undefined ResponseComplete"],
])("%s %s with %d: %s", (method, url, code, expected) => {
  const { record, events } = audit();
  record(attempt({ method, url, caller: alice }), { code, ...(method === "POST" && { name: "made" }) });
  const shown = events().map(
    ({ verb, stage, objectRef }) => `${verb} ${objectRef?.resource} ${objectRef?.name} ${stage}`,
  );
  expect(shown).toEqual(expected === undefined ? [] : [expected]);
});

test("an event has the fields of audit.k8s.io/v1, without values that could be secret", () => {
  const { record, lines, events, counts } = audit();
  const url = `${base}/apis/apps.example.com/v1/namespaces/ns/things/a/status?dryRun=All&access_token=hidden`;
  const sent = attempt({ method: "PATCH", url, caller: alice });
  record(sent, { code: 403, reason: "Forbidden" });
  record(sent, { code: 500 });
  expect(counts).toEqual(["written"]);
  expect(lines.join("")).not.toContain("hidden");
  expect(events()).toEqual([
    {
      ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", level: "Metadata", stage: "ResponseComplete" },
      auditID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestURI: `${base}/apis/apps.example.com/v1/namespaces/ns/things/a/status?dryRun=All`,
      verb: "patch",
      user: {
        ...{ username: "alice", groups: ["system:authenticated"] },
        extra: { "authentication.kubernetes.io/credential-id": ["PAT=abc"] },
      },
      sourceIPs: ["192.0.2.7"],
      userAgent: "kubectl/v1",
      objectRef: {
        ...{ resource: "things", namespace: "ns", name: "a", subresource: "status" },
        ...{ apiGroup: "apps.example.com", apiVersion: "v1" },
      },
      responseStatus: { metadata: {}, code: 403, reason: "Forbidden" },
      requestReceivedTimestamp: "1970-01-01T00:00:01.000000Z",
      stageTimestamp: "1970-01-01T00:00:02.000000Z",
      annotations: { "example.com/control-plane": "project/web" },
    },
  ]);
});

test("whatever a client sends, an event is one short line of printable ASCII", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20_000 }),
    fc.constant('"}\n{"kind":"Event"\u001b[2J\u009b'),
  );
  fc.assert(
    fc.property(hostile, hostile, hostile, (path, userAgent, name) => {
      const { record, lines } = audit();
      const url = `${configMaps}/${path}?fieldManager=${path}&labelSelector=${path}`;
      record(attempt({ method: "DELETE", url, userAgent, caller: alice }), { code: 403, name });
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^[\x20-\x7e]{1,16000}\n$/);
      expect(JSON.parse(lines[0] ?? "").verb).toMatch(/^delete/);
    }),
  );
});

test("requests without a token cannot fill the log; a full queue is counted", () => {
  const { record, lines, counts, advance } = audit();
  const send = (caller?: typeof alice, outcome: AttemptOutcome = { code: 403 }) =>
    record(attempt({ url: configMaps, caller }), outcome);
  for (let index = 0; index < 1_000; index++) send();
  expect(lines).toHaveLength(100);
  expect(counts.filter((each) => each === "unauthenticated")).toHaveLength(900);
  send(alice);
  expect(JSON.parse(lines.at(-1) ?? "").user.username).toBe("alice");
  advance(1_000);
  for (let index = 0; index < 20; index++) send();
  expect(lines).toHaveLength(111);

  const full = audit(() => false);
  full.record(attempt({ url: secrets, caller: alice }), { code: 200 });
  expect(full.counts).toEqual(["queue_full"]);
});
