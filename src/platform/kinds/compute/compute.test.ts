import { describe, expect, test } from "vitest";
import { admitted, changed, faultsOf, objectOf, readerOf } from "../../../../test/support/plane/admission.ts";
import {
  example,
  sandboxWorkload,
  virtualMachine,
  workloadCases,
} from "../../../../test/support/provider/workload-cases.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { servedKinds } from "../../served-kinds.ts";
import { locationKind } from "../networking/location.ts";
import { networkKind } from "../networking/network.ts";
import { instanceKind } from "./instance.ts";
import { workloadFinalizer, workloadKind } from "./workload.ts";
import { workloadDeploymentKind } from "./workload-deployment.ts";

const domain = "platformapis";
const workload = workloadKind(domain);
const deployment = workloadDeploymentKind(domain);
const instance = instanceKind(domain);
const location = locationKind(domain);

const web = sandboxWorkload;
const machine = virtualMachine(web);
const spec = web["spec"] as { template: JsonObject; placements: JsonObject[] };
const aDeployment = objectOf(deployment, "web-us-dfw", {
  spec: {
    workloadRef: { name: "web", uid: "u" },
    placementName: "us",
    cityCode: "DFW",
    template: spec.template,
    scaleSettings: { minReplicas: 1 },
  },
});
const anInstance = objectOf(instance, "web-us-dfw-0", {
  spec: { ...(spec.template["spec"] as JsonObject), location: { name: "dfw", namespace: "default" } },
});

test.each(["location", "network", "workload"])("config/compute/%s.yaml is valid", (name) => {
  const object = example(`${name}.yaml`);
  const kind = servedKinds(domain).find(
    (each) => each.kind === object.kind && object.apiVersion === `${each.group}/${each.version}`,
  );
  expect(kind && faultsOf(object, kind)).toEqual([]);
});

test.each<[string, KindDefinition, KubeObject]>([
  ["virtual machine", workload, machine],
  ["WorkloadDeployment", deployment, aDeployment],
  ["Instance", instance, anInstance],
])("valid: %s", (_, kind, object) => {
  expect(faultsOf(object, kind)).toEqual([]);
});

describe("rules of a Workload", () => {
  test.each(workloadCases)("%s", (_, base, changes, expected) => {
    let object = base === "sandbox" ? web : machine;
    for (const [path, value] of Object.entries(changes)) object = changed(object, path, value);
    expect(faultsOf(object, workload)).toEqual(expected);
  });
});

test("the rules of a template apply to deployments and instances, at their own paths", () => {
  const image = "spec.runtime.sandbox.containers[0].image";
  expect(faultsOf(changed(aDeployment, `spec.template.${image}`, ""), deployment)).toEqual([
    `spec.template.${image}: Required value`,
  ]);
  expect(faultsOf(changed(anInstance, image, ""), instance)).toEqual([`${image}: Required value`]);
  const template = (machine["spec"] as JsonObject)["template"] as { spec: JsonObject };
  expect(faultsOf({ ...anInstance, spec: template.spec }, instance)).toEqual([
    "metadata.annotations[compute.platformapis/ssh-keys]: Required value",
  ]);
});

const first = "spec.template.spec.runtime.sandbox.containers[0]";
test.each([
  [`${first}.image`, "UPPER/Case:1", "must be an image's name, such as registry/name:tag"],
  [`${first}.volumeAttachments[0].mountPath`, "/", "must not be the root"],
])("what no provider could run: %s %s", (path, value, why) => {
  expect(faultsOf(changed(web, path, value), workload)).toEqual([
    `${path}: Invalid value: ${JSON.stringify(value)}: ${why}`,
  ]);
});

const probe = "spec.template.spec.runtime.sandbox.containers[0].livenessProbe";
test.each<[string, Json, ...string[]]>([
  ["every field", { exec: { command: ["true"] }, timeoutSeconds: 3, failureThreshold: 1 }],
  ["a named port", { httpGet: { port: "http", httpHeaders: [{ name: "Host", value: "a" }] } }],
  ["nothing", {}, ": Required value: must specify a handler type"],
  [
    "two handlers",
    { exec: { command: ["true"] }, tcpSocket: { port: 80 } },
    ".tcpSocket: Forbidden: may not specify more than 1 handler type",
  ],
  ["no command", { exec: {} }, ".exec.command: Required value"],
  ["no path", { httpGet: { port: 80, path: "" } }, ".httpGet.path: Required value"],
  [
    "no port",
    { tcpSocket: { port: 0 } },
    ".tcpSocket.port: Invalid value: 0: must be between 1 and 65535, inclusive",
  ],
  [
    "less than nothing",
    { tcpSocket: { port: 80 }, periodSeconds: -1 },
    ".periodSeconds: Invalid value: -1: must be greater than or equal to 0",
  ],
  [
    "several successes",
    { tcpSocket: { port: 80 }, successThreshold: 2 },
    ".successThreshold: Invalid value: 2: must be 1",
  ],
  [
    "a header in a header",
    { httpGet: { port: 80, httpHeaders: [{ name: "A", value: "a\r\nb: c" }] } },
    '.httpGet.httpHeaders[0].value: Invalid value: "": must not contain control characters',
  ],
])("rules of a probe: %s", (_, value, ...expected) => {
  expect(faultsOf(changed(web, probe, value), workload)).toEqual(expected.map((fault) => `${probe}${fault}`));
});

test.each<[string, Json | undefined, ...string[]]>([
  ["spec.cityCode", "", 'spec.cityCode: Invalid value: "": must be a city code such as DFW'],
  ["spec.placementName", "", "spec.placementName: Required value"],
  ["spec.workloadRef", undefined, "spec.workloadRef: Required value"],
  ["spec.workloadRef.uid", undefined, "spec.workloadRef.uid: Required value"],
  ["spec.template", undefined, "spec.template: Required value"],
  [
    "spec.scaleSettings.minReplicas",
    0,
    "spec.scaleSettings.minReplicas: Invalid value: 0: must be greater than 0",
  ],
])("rules of a WorkloadDeployment: %s %j", (path, value, ...expected) => {
  expect(faultsOf(changed(aDeployment, path, value), deployment)).toEqual(expected);
});

const pending = {
  type: "Available",
  status: "Unknown",
  reason: "Pending",
  message: "Waiting for controller",
  lastTransitionTime: "1970-01-01T00:00:00Z",
};

test("the status of new objects, with all counts", () => {
  const counts = { replicas: 0, currentReplicas: 0, desiredReplicas: 0 };
  expect(admitted(web, workload)["status"]).toEqual({ ...counts, conditions: [pending] });
  expect(admitted(aDeployment, deployment)["status"]).toEqual({
    ...{ ...counts, readyReplicas: 0 },
    conditions: [pending],
  });
  expect(admitted(anInstance, instance)["status"]).toEqual({ conditions: [pending] });
});

test("finalizers from the creation on", () => {
  const finalizers = [workloadFinalizer(domain)];
  expect(admitted(web, workload).metadata.finalizers).toEqual(finalizers);
  expect(admitted(aDeployment, deployment).metadata.finalizers).toEqual(finalizers);
  expect([workload.serverFinalizers, deployment.serverFinalizers]).toEqual([finalizers, finalizers]);
  expect(admitted(anInstance, instance).metadata.finalizers).toBeUndefined();
});

test("defaults of disks", () => {
  const disk = (admitted(machine, workload)["spec"] as typeof spec).template["spec"] as JsonObject;
  expect(disk["volumes"]).toMatchObject([{ disk: { template: { spec: { type: "pd-standard" } } } }]);
});

describe("city codes", () => {
  const at = (city: string) =>
    changed(example("location.yaml"), "spec.topology", { "topology.platform/city-code": city });
  const codes = (...cityCodes: string[]) => changed(web, "spec.placements[0].cityCodes", cityCodes);
  const admit = async (object: KubeObject, old: KubeObject | undefined, ...cities: string[]) => {
    const faults = await workload.admit?.(
      object,
      old,
      readerOf(...cities.map((city) => [location, at(city)] as const)),
    );
    return faults?.map(({ field, message }) => `${field}: ${message}`);
  };

  test("must be those of a location", async () => {
    expect(await admit(codes("DFW", "SFO", "SFO"), undefined, "LHR", "DFW", "DFW")).toEqual([
      'spec.placements[0].cityCodes[1]: Unsupported value: "SFO": supported values: "DFW", "LHR"',
    ]);
    expect(await admit(codes("DFW"), undefined)).toEqual([
      'spec.placements[0].cityCodes[0]: Unsupported value: "DFW"',
    ]);
    expect(await admit(codes("DFW", "LHR", "DFW"), undefined, "LHR", "DFW")).toEqual([]);
  });

  test("only new ones are looked up in an update", async () => {
    expect(await admit(codes("SFO", "DFW"), codes("SFO"), "DFW")).toEqual([]);
    expect(await admit(codes("SFO", "LHR"), codes("SFO"), "DFW")).toEqual([
      'spec.placements[0].cityCodes[1]: Unsupported value: "LHR": supported values: "DFW"',
    ]);
  });
});

test("references, each once", () => {
  const network = objectKey(networkKind(domain), "default", "default");
  const shared = objectKey(networkKind(domain), "shared", "default");
  const named = changed(web, "metadata.namespace", "default");
  expect(
    workload.references?.(changed(named, "spec.placements[0].cityCodes", ["DFW", "LHR", "DFW", "a b"])),
  ).toEqual([...[network, "city-code:DFW", "city-code:LHR"]]);
  const list = [
    { network: { name: "default" } },
    { network: { name: "default", namespace: "shared" } },
    { network: { name: "default" } },
  ];
  const interfaces = changed(aDeployment, "spec.template.spec.networkInterfaces", list);
  expect(deployment.references?.(interfaces)).toEqual(["city-code:DFW", network, shared]);
  const located = changed(aDeployment, "status", { location: { name: "dfw", namespace: "default" } });
  expect(deployment.references?.(located)).toEqual([
    ...["city-code:DFW", network, objectKey(location, "default", "dfw")],
  ]);
  for (const value of [null, "x", [], {}, { template: [] }, { placements: 1, cityCode: {} }]) {
    expect(workload.references?.({ ...web, spec: value })).toEqual([]);
    expect(deployment.references?.({ ...aDeployment, spec: value })).toEqual([]);
  }
});

test("cells", () => {
  const cells = (kind: KindDefinition, object: KubeObject) =>
    kind.columns.map((column) => column.value(object));
  expect(cells(deployment, aDeployment)).toEqual([null, null, null, null, null]);
  const located = { location: { name: "dfw", namespace: "default" } };
  expect(cells(deployment, { ...aDeployment, status: located }).slice(1, 3)).toEqual(["default", "dfw"]);
  const assignments = { networkIP: "10.128.0.2", externalIP: "198.18.0.1" };
  const status = { networkInterfaces: [{ assignments }], conditions: [pending] };
  expect(cells(instance, { ...anInstance, status })).toEqual([
    ...[null, "Unknown", "Pending", "10.128.0.2", "198.18.0.1"],
  ]);
});
