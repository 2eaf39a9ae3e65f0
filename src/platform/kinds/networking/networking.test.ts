import { describe, expect, test } from "vitest";
import { admitted, changed, faultsOf, objectOf, readerOf } from "../../../../test/support/plane/admission.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { columnDefinitions } from "../../../kube-server/api/table.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { servedKinds } from "../../served-kinds.ts";
import { computeLocationKind } from "../compute/location.ts";
import { locationKind } from "./location.ts";
import { networkFinalizer, networkKind } from "./network.ts";
import { networkBindingKind } from "./network-binding.ts";
import { contextReference, networkContextFinalizer, networkContextKind } from "./network-context.ts";
import { networkPolicyKind } from "./network-policy.ts";
import { subnetKind } from "./subnet.ts";
import { subnetClaimFinalizer, subnetClaimKind } from "./subnet-claim.ts";

const domain = "example";
const location = locationKind(domain);
const network = networkKind(domain);
const binding = networkBindingKind(domain);
const context = networkContextKind(domain);
const policy = networkPolicyKind(domain);
const claim = subnetClaimKind(domain);
const subnet = subnetKind(domain);

const dfw = objectOf(location, "dfw", {
  spec: {
    locationClassName: "platform-managed",
    topology: { "topology.platform/city-code": "DFW" },
    provider: { cloudA: { projectId: "p", region: "us-south1", zone: "us-south1-a" } },
  },
});
const defaultNetwork = objectOf(network, "default", { spec: { ipam: { mode: "Auto" } } });
const place = { network: { name: "default" }, location: { name: "dfw", namespace: "default" } };
const aBinding = objectOf(binding, "w-us-dfw-net-0", { spec: place });
const aContext = objectOf(context, "default-default-dfw", { spec: place });
const subnetSpec = {
  subnetClass: "private",
  networkContext: { name: "default-default-dfw" },
  location: { name: "dfw", namespace: "default" },
  ipFamily: "IPv4",
};
const aClaim = objectOf(claim, "default-default-dfw-0", { spec: subnetSpec });
const aSubnet = objectOf(subnet, "default-default-dfw-0", {
  spec: { ...subnetSpec, startAddress: "10.128.0.0", prefixLength: 20 },
});

/** Kinds with an object, the conditions of a new one, and the finalizer that only the server removes. */
const samples: [KindDefinition, KubeObject, conditions: string[], finalizer: string | undefined][] = [
  [location, dfw, ["Ready"], undefined],
  [network, defaultNetwork, ["Ready"], networkFinalizer(domain)],
  [binding, aBinding, ["Ready"], undefined],
  [context, aContext, ["Programmed", "Ready"], networkContextFinalizer(domain)],
  [claim, aClaim, ["Allocated", "Programmed", "Ready"], subnetClaimFinalizer(domain)],
  [subnet, aSubnet, ["Allocated", "Programmed", "Ready"], undefined],
];

const aPolicy: (typeof samples)[number] = [policy, objectOf(policy, "p", {}), [], undefined];
test.each([...samples, aPolicy])("$kind: valid", (kind, object) => {
  expect(faultsOf(object, kind)).toEqual([]);
});

test.each(samples)("the conditions of a new $kind wait for a controller", (kind, object, types) => {
  expect(admitted(object, kind)["status"]).toEqual({
    conditions: types.map((type) => ({
      type,
      status: "Unknown",
      reason: "Pending",
      message: "Waiting for controller",
      lastTransitionTime: "1970-01-01T00:00:00Z",
    })),
  });
});

test("defaults of a Network", () => {
  expect(admitted(defaultNetwork, network)["spec"]).toEqual({
    ipam: { mode: "Auto" },
    ipFamilies: ["IPv4"],
    mtu: 1460,
  });
});

test.each(samples)(
  "the finalizer of a new $kind, which only the server removes",
  (kind, object, _, finalizer) => {
    const expected = finalizer === undefined ? undefined : [finalizer];
    const created = admitted(object, kind);
    expect([created.metadata.finalizers, kind.serverFinalizers]).toEqual([expected, expected]);
    const others = changed(object, "metadata.finalizers", ["example.com/mine", ...(expected ?? [])]);
    expect(admitted(others, kind).metadata.finalizers).toEqual(["example.com/mine", ...(expected ?? [])]);
    expect(admitted(object, kind, created).metadata.finalizers).toBeUndefined();
  },
);

const label = "a lowercase RFC 1123 label must consist of lower case";
const subdomain = "a lowercase RFC 1123 subdomain must consist of lower case";
const many = (count: number) => Array.from({ length: count }, (_, index) => `10.${index}.0.0/16`);

describe.each<[string, KindDefinition, KubeObject, [string, Json | undefined, ...string[]][]]>([
  [
    "Location",
    location,
    dfw,
    [
      ["spec", undefined, "spec: Required value"],
      ["spec.locationClassName", undefined, "spec.locationClassName: Required value"],
      [
        "spec.locationClassName",
        "x",
        'spec.locationClassName: Unsupported value: "x": supported values: "platform-managed", "self-managed"',
      ],
      ["spec.topology", undefined, "spec.topology: Required value"],
      ["spec.topology", { "example.com/rack": "7" }],
      [
        "spec.topology",
        { "topology.platform/city-code": "SFO" },
        'spec.topology[topology.platform/city-code]: Unsupported value: "SFO": supported values: "DFW", "DLS", "LHR"',
      ],
      ["spec.provider", undefined, "spec.provider: Required value"],
      ["spec.provider", {}, "spec.provider.cloudA: Required value"],
      ["spec.provider.cloudA.zone", undefined, "spec.provider.cloudA.zone: Required value"],
      [
        "spec.provider.cloudA.region",
        "",
        'spec.provider.cloudA.region: Invalid value: "": spec.provider.cloudA.region in body should be at least 1 chars long',
      ],
    ],
  ],
  [
    "Network",
    network,
    defaultNetwork,
    [
      ["spec", {}, "spec.ipam: Required value"],
      ["spec.ipam", {}, "spec.ipam.mode: Required value"],
      ["spec.ipam.mode", "Policy"],
      ["spec.ipam.mode", "X", 'spec.ipam.mode: Unsupported value: "X": supported values: "Auto", "Policy"'],
      ["spec.ipam.ipv4Ranges", ["10.0.0.0/8", "172.16.0.0/12"]],
      ["spec.ipam.ipv6Ranges", ["fd20:1::/48"]],
      [
        "spec.ipam.ipv4Ranges",
        ["10.0.0.0/33", "10.1.0.0/8", "fd00::/20", "10.0.0.0/24", "x"],
        'spec.ipam.ipv4Ranges[0]: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.ipam.ipv4Ranges[1]: Invalid value: "10.1.0.0/8": must have no bits set after the prefix of 8 bits',
        'spec.ipam.ipv4Ranges[2]: Invalid value: "fd00::/20": must be an IPv4 range',
        'spec.ipam.ipv4Ranges[3]: Invalid value: "10.0.0.0/24": must have a prefix length between 8 and 20, inclusive',
        'spec.ipam.ipv4Ranges[4]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
      ],
      [
        "spec.ipam.ipv6Ranges",
        ["fd00::/15", "10.0.0.0/8", "fd00::/65"],
        'spec.ipam.ipv6Ranges[0]: Invalid value: "fd00::/15": must have a prefix length between 16 and 64, inclusive',
        'spec.ipam.ipv6Ranges[1]: Invalid value: "10.0.0.0/8": must be an IPv6 range',
        'spec.ipam.ipv6Ranges[2]: Invalid value: "fd00::/65": must have a prefix length between 16 and 64, inclusive',
      ],
      [
        "spec.ipam.ipv4Ranges",
        ["10.0.0.0/12", "10.16.0.0/12", "10.8.0.0/16"],
        'spec.ipam.ipv4Ranges[2]: Invalid value: "10.8.0.0/16": must not overlap with "10.0.0.0/12"',
      ],
      ["spec.ipam.ipv4Ranges", many(17), "spec.ipam.ipv4Ranges: Too many: 17: must have at most 16 items"],
      ["spec.ipFamilies", ["IPv4", "IPv6"]],
      [
        "spec.ipFamilies",
        [],
        "spec.ipFamilies: Invalid value: 0: spec.ipFamilies in body should have at least 1 items",
      ],
      [
        "spec.ipFamilies",
        ["IPv5"],
        'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
      ],
      ["spec.ipFamilies", ["IPv4", "IPv4"], 'spec.ipFamilies[1]: Duplicate value: "IPv4"'],
      [
        "spec.mtu",
        1299,
        "spec.mtu: Invalid value: 1299: spec.mtu in body should be greater than or equal to 1300",
      ],
      [
        "spec.mtu",
        8857,
        "spec.mtu: Invalid value: 8857: spec.mtu in body should be less than or equal to 8856",
      ],
    ],
  ],
  [
    "NetworkBinding",
    binding,
    aBinding,
    [
      ["spec.network", undefined, "spec.network: Required value"],
      ["spec.network", {}, "spec.network.name: Required value"],
      ["spec.network.namespace", "other"],
      ["spec.network.name", "A", `spec.network.name: Invalid value: "A": ${subdomain}`],
      ["spec.network.namespace", "a.b", `spec.network.namespace: Invalid value: "a.b": ${label}`],
      ["spec.location", undefined, "spec.location: Required value"],
      ["spec.location.namespace", undefined, "spec.location.namespace: Required value"],
      ["spec.location.name", "", "spec.location.name: Required value"],
    ],
  ],
  [
    "NetworkContext",
    context,
    aContext,
    [
      ["spec.network", undefined, "spec.network: Required value"],
      ["spec.network.name", "a b", `spec.network.name: Invalid value: "a b": ${subdomain}`],
      ["spec.location.namespace", undefined, "spec.location.namespace: Required value"],
    ],
  ],
  [
    "SubnetClaim",
    claim,
    aClaim,
    [
      ["spec.subnetClass", undefined, "spec.subnetClass: Required value"],
      ["spec.networkContext", undefined, "spec.networkContext: Required value"],
      ["spec.location", undefined, "spec.location: Required value"],
      ["spec.ipFamily", undefined, "spec.ipFamily: Required value"],
      ["spec.ipFamily", "x", 'spec.ipFamily: Unsupported value: "x": supported values: "IPv4", "IPv6"'],
      ["spec.startAddress", "10.128.16.0"],
      ["spec.startAddress", "10.1", 'spec.startAddress: Invalid value: "10.1": must be an IPv4 address'],
      ["spec.startAddress", "fd20::", 'spec.startAddress: Invalid value: "fd20::": must be an IPv4 address'],
      ["spec.prefixLength", 33, "spec.prefixLength: Invalid value: 33: must be between 1 and 32, inclusive"],
    ],
  ],
  [
    "Subnet",
    subnet,
    aSubnet,
    [
      ["spec.startAddress", undefined, "spec.startAddress: Required value"],
      ["spec.prefixLength", undefined, "spec.prefixLength: Required value"],
      ["spec.prefixLength", 0, "spec.prefixLength: Invalid value: 0: must be between 1 and 32, inclusive"],
      ["spec.networkContext.name", "A", `spec.networkContext.name: Invalid value: "A": ${subdomain}`],
    ],
  ],
])("%s", (_, kind, object, cases) => {
  test.each(cases)("%s: %j", (path, value, ...expected) => {
    const faults = faultsOf(changed(object, path, value), kind);
    // The end of Kubernetes' long help about names is left out here.
    expect(
      faults.map((fault, index) =>
        fault.slice(0, expected[index]?.endsWith("lower case") ? expected[index].length : undefined),
      ),
    ).toEqual(expected);
  });
});

test.each([
  [binding, aBinding, "spec.network.name"],
  [context, aContext, "spec.location.name"],
  [claim, aClaim, "spec.subnetClass"],
  [subnet, aSubnet, "spec.startAddress"],
] as const)("the spec of a $kind is immutable", (kind, object, path) => {
  const other = changed(object, path, path.endsWith("Address") ? "10.128.16.0" : "other");
  const [, field = ""] = path.split(".");
  const value = JSON.stringify((other["spec"] as Record<string, Json>)[field]);
  const shown = value.startsWith("{") ? JSON.stringify(value) : value;
  expect(faultsOf(other, kind, object)).toEqual([
    `spec.${field}: Invalid value: ${shown}: field is immutable`,
  ]);
  expect(faultsOf(changed(object, "metadata.labels", { a: "b" }), kind, object)).toEqual([]);
});

test("a city code that is no longer configured does not stop other changes", () => {
  const lhrOnly = locationKind(domain, ["LHR"]);
  expect(faultsOf(dfw, lhrOnly)).toHaveLength(1);
  expect(faultsOf(changed(dfw, "metadata.labels", { a: "b" }), lhrOnly, dfw)).toEqual([]);
});

test("a network's ipam is immutable while it has contexts", async () => {
  const other = changed(defaultNetwork, "spec.ipam.ipv4Ranges", ["10.0.0.0/8"]);
  const used = readerOf([context, aContext]);
  const elsewhere = readerOf([context, changed(aContext, "metadata.namespace", "other")]);
  expect(await network.admit?.(other, defaultNetwork, used)).toEqual([
    {
      reason: "FieldValueInvalid",
      field: "spec.ipam",
      message: expect.stringMatching(
        /^Invalid value: .*: field is immutable while the network has NetworkContexts$/,
      ),
    },
  ]);
  expect(await network.admit?.(changed(defaultNetwork, "spec.mtu", 1500), defaultNetwork, used)).toEqual([]);
  expect(await network.admit?.(other, defaultNetwork, elsewhere)).toEqual([]);
  expect(await network.admit?.(other, undefined, used)).toEqual([]);
});

test("references", () => {
  const contextWord = "network-context:default/default/default/dfw";
  const keys = {
    network: objectKey(network, "default", "default"),
    location: objectKey(location, "default", "dfw"),
    context: objectKey(context, "default", "default-default-dfw"),
  };
  expect(binding.references?.(aBinding)).toEqual([keys.network, contextWord]);
  expect(binding.references?.(changed(aBinding, "spec.network.namespace", "shared"))).toEqual([
    objectKey(network, "shared", "default"),
    "network-context:shared/default/default/dfw",
  ]);
  expect(
    contextReference({ namespace: "default", name: "default" }, { namespace: "default", name: "dfw" }),
  ).toBe(contextWord);
  expect(context.references?.(aContext)).toEqual([keys.network, keys.location, contextWord]);
  expect(claim.references?.(aClaim)).toEqual([keys.context]);
  expect(subnet.references?.(aSubnet)).toEqual([keys.context]);
});

test.each<Json | undefined>([undefined, null, "x", [], {}, { name: "a b" }, { name: "a/b", namespace: 1 }])(
  "no reference comes from %j",
  (value) => {
    const spec = { network: value, location: value, networkContext: value } as never;
    for (const kind of [binding, context, claim, subnet]) {
      expect(kind.references?.(objectOf(kind, "x", { spec }))).toEqual([]);
      expect(kind.references?.(objectOf(kind, "x", { spec: value ?? null }))).toEqual([]);
    }
  },
);

const cells = (kind: KindDefinition, object: KubeObject) =>
  kind.columns.map((column) => column.value(object));

test("cells", () => {
  expect(cells(location, admitted(dfw, location))).toEqual([
    "platform-managed",
    "DFW",
    null,
    "Unknown",
    "Pending",
  ]);
  expect(cells(network, admitted(defaultNetwork, network))).toEqual([
    ...[null, "Unknown", "Pending", "Auto", '["IPv4"]', 1460],
  ]);
  expect(cells(subnet, aSubnet)).toEqual([null, null, null, null, null]);
  const status = { startAddress: "10.128.0.0", prefixLength: 20 };
  expect(cells(subnet, { ...aSubnet, status }).slice(3)).toEqual(["10.128.0.0", 20]);
});

test("the locations of the compute group are those of the networking group", () => {
  const kind = computeLocationKind(locationKind(domain));
  expect([kind.group, kind.storedAs?.group]).toEqual(["compute.example", "networking.example"]);
  expect(faultsOf({ ...dfw, apiVersion: "compute.example/v1alpha" }, kind)).toEqual([]);
  const kinds = servedKinds(domain, { cityCodes: ["SFO"] });
  for (const each of kinds.filter((served) => served.kind === "Location")) {
    const sfo = changed(dfw, "spec.topology", { "topology.platform/city-code": "SFO" });
    expect(faultsOf({ ...sfo, apiVersion: `${each.group}/v1alpha` }, each)).toEqual([]);
  }
});

test("columns", () => {
  const shown = Object.fromEntries(
    servedKinds(domain)
      .filter(({ group }) => group.startsWith("networking.") || group.startsWith("compute."))
      .map((kind) => [`${kind.plural}.${kind.group}`, columnDefinitions(kind)]),
  );
  const text = Object.entries(shown).map(([plural, columns]) => {
    const names = columns.map(({ name, priority }) =>
      priority === 0 ? String(name).toUpperCase() : `(${name})`,
    );
    return `${plural}: ${names.join(", ")}`;
  });
  expect(text).toEqual([
    "locations.networking.example: NAME, CLASS, CITY, AGE, READY, REASON",
    "locations.compute.example: NAME, CLASS, CITY, AGE, READY, REASON",
    "networks.networking.example: NAME, AGE, READY, REASON, IPAM, IPFAMILIES, MTU",
    "networkbindings.networking.example: NAME, AGE, READY, REASON",
    "networkcontexts.networking.example: NAME, AGE, READY, REASON",
    "networkpolicies.networking.example: NAME, AGE",
    "subnetclaims.networking.example: NAME, AGE, READY, REASON",
    "subnets.networking.example: NAME, AGE, READY, REASON, START ADDRESS, PREFIX LENGTH",
    "workloads.compute.example: NAME, AGE, AVAILABLE, REASON",
    "workloaddeployments.compute.example: NAME, AGE, LOCATION NAMESPACE, LOCATION NAME, AVAILABLE, REASON",
    "instances.compute.example: NAME, AGE, AVAILABLE, REASON, NETWORK IP, EXTERNAL IP",
    "httpproxies.networking.example: NAME, HOSTNAME, PROGRAMMED, AGE",
  ]);
});
