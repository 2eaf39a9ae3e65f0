import { expect, test } from "vitest";
import { expectLinear } from "../../../../test/support/growth.ts";
import { admitted, changed, faultsOf } from "../../../../test/support/plane/admission.ts";
import { sandboxWorkload } from "../../../../test/support/provider/workload-cases.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { workloadKind } from "./workload.ts";

/** A tenant's largest objects must not hold up the others: bounded counts, or work that is linear. */

const kind = workloadKind("platformapis");
const T = "spec.template.spec";
const container = `${T}.runtime.sandbox.containers[0]`;
const list = (size: number, make: (index: number) => Json): Json =>
  Array.from({ length: size }, (_, i) => make(i));
const disk = { template: { spec: { populator: { image: { name: "i" } } } } };
const ingress = `${T}.networkInterfaces[0].networkPolicy.ingress`;
const sources = (size: number): Json => [
  { from: [{ ipBlock: { cidr: "fd00::/8", except: list(size, (i) => `fd00:${i.toString(16)}::/32`) } }] },
];

test.each<[string, (size: number) => Record<string, Json>]>([
  ["ports", (size) => ({ [`${container}.ports`]: list(size, (i) => ({ name: `p${i}`, port: 80 })) })],
  ["variables", (size) => ({ [`${container}.env`]: list(size, (i) => ({ name: `E${i}` })) })],
  [
    "attachments",
    (size) => ({
      [`${container}.volumeAttachments`]: list(size, (i) => ({ name: "pages", mountPath: `/${i}` })),
    }),
  ],
  ["policy ports", (size) => ({ [ingress]: [{ ports: list(size, () => ({ port: 1, endPort: 2 })) }] })],
  [
    "keys",
    (size) => ({
      "spec.template.metadata.annotations": { "compute.platformapis/ssh-keys": "a:b\n".repeat(size) },
    }),
  ],
])("the work for %s is linear", (_, changes) => {
  const work = (size: number) => {
    let object: KubeObject = sandboxWorkload;
    for (const [path, value] of Object.entries(changes(size))) object = changed(object, path, value);
    return () => kind.validate?.(object, undefined);
  };
  expectLinear(work, 2_000);
});

test.each<[string, Record<string, Json>, string]>([
  [
    "volumes",
    { [`${T}.volumes`]: list(257, (i) => ({ name: `v${i}`, disk })) },
    `${T}.volumes: Too many: 257`,
  ],
  [
    "containers",
    { [`${T}.runtime.sandbox.containers`]: list(65, (i) => ({ name: `c${i}`, image: "i" })) },
    `${T}.runtime.sandbox.containers: Too many: 65`,
  ],
  ["rules", { [ingress]: list(1001, () => ({})) }, `${ingress}: Too many: 1001`],
  [
    "blocks",
    { [ingress]: sources(1000) },
    `${T}.networkInterfaces.networkPolicy.ingress.from: Too many: 1001`,
  ],
  [
    "interfaces",
    { [`${T}.networkInterfaces`]: list(17, () => ({ network: { name: "default" } })) },
    `${T}.networkInterfaces: Too many: 17`,
  ],
  [
    "placements",
    {
      "spec.placements": list(33, (i) => ({
        name: `p${i}`,
        cityCodes: ["DFW"],
        scaleSettings: { minReplicas: 1 },
      })),
    },
    "spec.placements: Too many: 33",
  ],
  [
    "city codes",
    { "spec.placements[0].cityCodes": list(33, () => "DFW") },
    "spec.placements[0].cityCodes: Too many: 33",
  ],
])("the number of %s is bounded", (_, changes, expected) => {
  let object: KubeObject = sandboxWorkload;
  for (const [path, value] of Object.entries(changes)) object = changed(object, path, value);
  expect(faultsOf(object, kind)[0]).toContain(expected);
});

test("as many blocks as may be, and at most 100 faults", () => {
  expect(admitted(changed(sandboxWorkload, ingress, sources(999)), kind)).toBeDefined();
  const broken = list(5_000, () => ({ name: "", port: 0 }));
  expect(kind.validate?.(changed(sandboxWorkload, `${container}.ports`, broken), undefined)).toHaveLength(
    100,
  );
});
