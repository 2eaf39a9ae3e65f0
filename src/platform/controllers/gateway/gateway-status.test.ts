import { expect, test } from "vitest";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import type { NewCondition } from "../../../kube-server/controllers/conditions.ts";
import type { ProgramReport, ProgramState } from "../../routing/program-store.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";
import {
  addressesOf,
  blockedText,
  gatewayAccepted,
  listenerStatus,
  programmedCondition,
  resolvedAddresses,
  tooManyChanges,
} from "./gateway-status.ts";
import { type ChildrenState, proxyAddresses, proxyConditions } from "./http-proxy-status.ts";
import { namedRange } from "./own-ranges.ts";
import { againAfter } from "./program-waits.ts";

const loaded = (...reports: ProgramReport[]): ProgramState => ({ running: 2, isLoaded: true, reports });
const text = ({ status, reason, message }: NewCondition) => `${status} ${reason}: ${message}`;

const now = "2026-01-01T00:00:00Z";
const gatewayOf = (listeners: JsonObject[], generation = 1): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Gateway", metadata: { generation }, spec: { listeners } },
});
const statusOf = (gateway: KubeObject, hostnames: HostnameStates = new Map()): JsonObject[] =>
  listenerStatus(gateway, [], programmedCondition(loaded(), false), hostnames, new Map(), now);

test.each<[what: string, state: ProgramState, isOverdue: boolean, expected: string]>([
  ["none runs", { ...loaded(), running: 0 }, true, "False Pending: no gateway is running"],
  [
    "not yet loaded",
    { ...loaded(), isLoaded: false },
    true,
    "False Pending: The Gateway has not been programmed",
  ],
  ["loaded", loaded({}), false, "True Programmed: The Gateway has been programmed"],
  ["refused by one", loaded({}, { refused: "rule 1" }), false, "False Invalid: rule 1"],
  [
    "an earlier one was refused",
    { ...loaded({ refused: "rule 1" }), isLoaded: false },
    false,
    "False Pending: The Gateway has not been programmed",
  ],
  ["refused, for long", { ...loaded({ refused: "rule 1" }), isLoaded: false }, true, "False Invalid: rule 1"],
  [
    "refused, at length",
    loaded({ refused: "a".repeat(9_999) }),
    false,
    `False Invalid: ${"a".repeat(4_096)}`,
  ],
  [
    "refused since it needs too much",
    loaded({ refused: "too many matches", reason: "NoResources" }),
    false,
    "False NoResources: too many matches",
  ],
  ["not yet checked by one", loaded({}, { pending: "it is checked" }), false, "False Pending: it is checked"],
  [
    "blocked backends",
    loaded({ blocked: { "b.example": "private" } }, { blocked: { "192.0.2.1": "denied" } }),
    false,
    "True Programmed: The Gateway has been programmed; requests are not forwarded to" +
      " 192.0.2.1 (denied), b.example (private)",
  ],
])("a gateway is programmed: %s", (_, state, isOverdue, expected) => {
  expect(text(programmedCondition(state, isOverdue))).toBe(expected);
});

test("the constant conditions", () => {
  expect(text(tooManyChanges)).toMatch(/^False Pending: /);
});

test.each([
  [0, undefined],
  [1, /^requests are not forwarded to b00 \(why\)$/],
  [16, /b15 \(why\)$/],
  [19, /b15 \(why\) and 3 more$/],
])("%i blocked backends are named in order, sixteen at most", (count, expected) => {
  const names = Array.from({ length: count }, (_, index) => `b${String(index).padStart(2, "0")}`);
  const reports = names.toReversed().map((name) => ({ blocked: { [name]: "why" } }));
  const found = blockedText([{}, ...reports]);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(expected);
  expect(blockedText([{ blocked: { a: "x".repeat(9_999) } }])).toHaveLength(4_096);
});

test("addresses are those of all reports, by name", () => {
  const reports = [{}, { resolved: { a: "192.0.2.1" } }, { resolved: { b: "192.0.2.2" } }];
  expect([...resolvedAddresses(reports)]).toEqual([
    ["a", "192.0.2.1"],
    ["b", "192.0.2.2"],
  ]);
});

test("a gateway's hostname is its uid in the domain", () => {
  const gateway: KubeObject = { apiVersion: "v1", kind: "Gateway", metadata: { uid: "u1" } };
  expect(addressesOf(gateway, "example")).toEqual([{ type: "Hostname", value: "u1.example" }]);
  expect(addressesOf(gateway, undefined)).toEqual([]);
});

test("each listener has its conditions, which keep their times, and its number of routes", () => {
  const listeners = [
    { name: "web", protocol: "HTTP", port: 80 },
    { name: "tls", protocol: "HTTPS", port: 443 },
  ];
  const gateway = gatewayOf(listeners, 3);
  const programmed = programmedCondition(loaded(), false);
  const accepted = { type: "Accepted", status: "True", reason: "Accepted", message: "" } as const;
  const attachments = [{ ref: {}, accepted, listeners: [{ name: "tls" }], hosts: [] }];
  const statusAt = (at: string, known: KubeObject, state = programmed) =>
    listenerStatus(known, [{ route: gateway, attachments, hosts: [] }], state, new Map(), new Map(), at);
  const first = statusAt(now, gateway);
  const times = { observedGeneration: 3, lastTransitionTime: now };
  const conditions = [
    { type: "Accepted", status: "True", reason: "Accepted", message: "The listener is accepted" },
    { type: "Programmed", status: "True", reason: "Programmed", message: "The listener has been programmed" },
    {
      ...{ type: "ResolvedRefs", status: "True", reason: "ResolvedRefs" },
      message: "The listener has no unresolved references",
    },
    {
      ...{ type: "Conflicted", status: "False", reason: "NoConflicts" },
      message: "The listener is in conflict with no other",
    },
  ].map((condition) => ({ ...condition, ...times }));
  const supportedKinds = [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }];
  expect(first).toEqual([
    { name: "web", supportedKinds, attachedRoutes: 0, conditions },
    { name: "tls", supportedKinds, attachedRoutes: 1, conditions },
  ]);
  const [, tls] = first;
  const later = { ...gateway, status: { listeners: tls === undefined ? [] : [tls] } };
  const [web, again] = statusAt("2026-01-02T00:00:00Z", later);
  expect(again).toEqual(tls);
  expect(web?.["conditions"]).toContainEqual(
    expect.objectContaining({ type: "Accepted", lastTransitionTime: "2026-01-02T00:00:00Z" }),
  );
  const failed = programmedCondition({ ...loaded(), running: 0 }, false);
  expect(statusAt("2026-01-02T00:00:00Z", later, failed)[1]?.["conditions"]).toContainEqual({
    ...{ type: "Programmed", status: "False", reason: "Pending", message: "no gateway is running" },
    ...{ observedGeneration: 3, lastTransitionTime: "2026-01-02T00:00:00Z" },
  });
});

test("a listener whose hostname is not held is not accepted, and the gateway says so", () => {
  const gateway = gatewayOf([
    { name: "web", protocol: "HTTP", port: 80 },
    { name: "own", protocol: "HTTP", port: 80, hostname: "a.example.com" },
  ]);
  const states = new Map([
    ["a.example.com", { kind: "refused", reason: "HostnameInUse", message: "why" } as const],
  ]);
  const [web, own] = statusOf(gateway, states);
  const stateOf = (status: JsonObject | undefined) =>
    ((status?.["conditions"] ?? []) as JsonObject[]).map(({ type, status: is, reason, message }) =>
      [type, is, reason, type === "Accepted" ? message : ""].join(" ").trim(),
    );
  expect(stateOf(web).slice(0, 2)).toEqual([
    ...["Accepted True Accepted The listener is accepted", "Programmed True Programmed"],
  ]);
  expect(stateOf(own).slice(0, 2)).toEqual([
    ...["Accepted False HostnameInUse a.example.com: why", "Programmed False Invalid"],
  ]);
  expect(text(gatewayAccepted(gateway, states))).toBe(
    "True ListenersNotValid: Listeners that are not served, as their conditions say: own",
  );
  expect(text(gatewayAccepted(gateway, new Map()))).toBe("True Accepted: The Gateway has been scheduled");
});

test.each<[kinds: JsonObject[], supported: number, reason: string]>([
  [[{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }], 1, "ResolvedRefs"],
  [[{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }, { kind: "Other" }], 1, "InvalidRouteKinds"],
  [[{ group: "other.example", kind: "HTTPRoute" }], 0, "InvalidRouteKinds"],
])("a listener for routes of the kinds %j", (kinds, supported, reason) => {
  const listener = { name: "web", protocol: "HTTP", port: 80, allowedRoutes: { kinds } };
  const [status] = statusOf(gatewayOf([listener]));
  expect(status?.["supportedKinds"]).toHaveLength(supported);
  expect(status?.["conditions"]).toContainEqual(expect.objectContaining({ type: "ResolvedRefs", reason }));
});

test.each([
  [[["HTTP", 80]], "True Accepted: The Gateway has been scheduled", ["True Accepted"]],
  [
    [
      ["TCP", 80],
      ["HTTPS", 443],
    ],
    "True ListenersNotValid: Listeners that are not served, as their conditions say: l0",
    ["False UnsupportedProtocol", "True Accepted"],
  ],
  [
    [
      ["HTTP", 8080],
      ["example.com/quic", 443],
    ],
    "False ListenersNotValid: Listeners that are not served, as their conditions say: l0, l1",
    ["False PortUnavailable", "False UnsupportedProtocol"],
  ],
] as const)("listeners %j", (given, accepted, listeners) => {
  const gateway = gatewayOf(given.map(([protocol, port], index) => ({ name: `l${index}`, protocol, port })));
  expect(text(gatewayAccepted(gateway, new Map()))).toBe(accepted);
  const states = statusOf(gateway).map((listener) => {
    const [of, programmed] = listener["conditions"] as unknown as NewCondition[];
    // One that is not accepted is not programmed, and takes routes only if its protocol is one of theirs.
    expect(programmed?.status).toBe(of?.status);
    expect(listener["supportedKinds"]).toHaveLength(of?.reason === "UnsupportedProtocol" ? 0 : 1);
    return `${of?.status} ${of?.reason}`;
  });
  expect(states).toEqual(listeners);
});

const gatewayWith = (programmed: Partial<NewCondition>, observedGeneration = 2): KubeObject => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { generation: 2 } },
  status: {
    addresses: [{ type: "Hostname", value: "u.example" }],
    conditions: [
      { type: "Accepted", status: "True" },
      { type: "Programmed", observedGeneration, ...programmed },
    ],
  },
});
const yes = {
  status: "True",
  reason: "Programmed",
  message: "The Gateway has been programmed; and more",
} as const;
const no = { status: "False", reason: "Invalid", message: "rule 1" } as const;
const complete = (gateway: KubeObject, program: ProgramState | undefined): ChildrenState => ({
  ...{ state: "complete", gateway, refusal: undefined, program },
});
const pending = "False Pending: The HTTPProxy has not been programmed";

test.each<[what: string, children: ChildrenState, accepted: string, programmed: string]>([
  [
    "in conflict",
    { state: "conflict", kind: "HTTPRoute", name: "x" },
    "False",
    'False Conflict: Underlying HTTPRoute with the name "x" already exists and is owned by a different resource.',
  ],
  ["without its gateway", { state: "incomplete", gateway: undefined, isGoing: false }, "False", pending],
  ["a child is missing", { state: "incomplete", gateway: gatewayWith(yes), isGoing: false }, "True", pending],
  ["its program is not stored yet", complete(gatewayWith(yes), undefined), "True", pending],
  [
    "its program is not loaded, though an earlier one was",
    complete(gatewayWith(yes), { ...loaded(), isLoaded: false }),
    "True",
    pending,
  ],
  ["loaded, which the gateway does not say", complete(gatewayWith({}), loaded()), "True", pending],
  ["the gateway speaks of an earlier one", complete(gatewayWith(yes, 1), loaded()), "True", pending],
  [
    "programmed",
    complete(gatewayWith(yes), loaded()),
    "True",
    "True Programmed: The HTTPProxy has been programmed; and more",
  ],
  ["refused", complete(gatewayWith(no), loaded()), "True", "False Invalid: rule 1"],
  ["an earlier program was refused", complete(gatewayWith(no), undefined), "True", pending],
  [
    "its change waits for its turn",
    complete(gatewayWith(tooManyChanges), undefined),
    "True",
    `False Pending: ${tooManyChanges.message}`,
  ],
  [
    "the change that waited was another one",
    complete(gatewayWith(tooManyChanges, 1), undefined),
    "True",
    pending,
  ],
])("a proxy: %s", (_, children, accepted, programmed) => {
  const [first, second] = proxyConditions(children);
  expect([first?.status, second && text(second)]).toEqual([accepted, programmed]);
});

test("a proxy whose route is not taken says so", () => {
  const refusal: NewCondition = {
    type: "Accepted",
    status: "False",
    reason: "TooLarge",
    message: "too large",
  };
  const children: ChildrenState = {
    ...{ state: "complete", gateway: gatewayWith(yes), refusal, program: loaded() },
  };
  expect(proxyConditions(children)[0]).toEqual(refusal);
});

test("a proxy whose route a quota refuses says so", () => {
  const children: ChildrenState = {
    ...{ state: "incomplete", gateway: gatewayWith(yes), isGoing: false, quotaRefusal: "exceeded" },
  };
  expect(proxyConditions(children).map(text)[1]).toBe("False QuotaExceeded: exceeded");
});

test("a proxy is reached where its gateway is, unless that is another's", () => {
  expect(proxyAddresses({ state: "incomplete", gateway: gatewayWith(yes), isGoing: false })).toEqual({
    addresses: [{ type: "Hostname", value: "u.example" }],
    ...{ hostnames: ["u.example"], hostname: "u.example" },
  });
  expect(proxyAddresses({ state: "incomplete", gateway: undefined, isGoing: false })).toEqual({});
  expect(proxyAddresses({ state: "conflict", kind: "Gateway", name: "x" })).toEqual({});
});

test.each<[start: string, length: number, status: string, range: string | undefined]>([
  ["10.128.0.0", 20, "True", "10.128.0.0/20"],
  ["fd20::", 64, "True", "fd20::/64"],
  ["10.128.0.0", 20, "False", undefined],
  ["10.0.0.0", 8, "True", undefined],
  ["127.0.0.0", 24, "True", undefined],
  ["169.254.169.0", 24, "True", undefined],
  ["192.168.1.0", 24, "True", undefined],
  ["8.8.8.0", 24, "True", undefined],
  ["10.128.0.1", 20, "True", undefined],
])("subnet %s/%i, programmed %s: %s", (startAddress, prefixLength, status, range) => {
  const subnet: KubeObject = {
    ...{ apiVersion: "networking.example/v1alpha", kind: "Subnet", metadata: {} },
    spec: { startAddress, prefixLength },
    status: { conditions: [{ type: "Programmed", status }] },
  };
  expect(namedRange(subnet)?.text).toBe(range);
});

test.each([
  [0, true, 250],
  [2_000, true, 1_000],
  [60_000, true, 5_000],
  [60_000, false, 30_000],
  [6_000_000, false, 300_000],
])("after %i ms, running %s: asked again in %i ms", (waitedMs, isRunning, ms) => {
  expect(againAfter(waitedMs, isRunning)).toBe(ms);
});
