import { readFileSync } from "node:fs";
import { cloneJson, type Json, type KubeObject } from "../../../src/kube-server/api/object.ts";
import { parseYaml } from "../../../src/kube-server/encoding/body.ts";

/**
 * The rules of a Workload: what is changed in a valid one, and the faults then. Unit tests check each by itself,
 * kubectl's all at once.
 */

/** A manifest of the repository. */
export const example = (file: string) =>
  parseYaml(readFileSync(new URL(`../../../config/compute/${file}`, import.meta.url))).value as KubeObject;

export const sandboxWorkload = example("workload.yaml");

const key = Buffer.from([0, 0, 0, 11, ...Buffer.from("ssh-ed25519"), 0, 0, 0, 1, 7]).toString("base64");
export const sshKey = `ssh-ed25519 ${key}`;

/** The workload with a virtual machine instead of its containers. */
export function virtualMachine(workload: KubeObject): KubeObject {
  const copy = cloneJson(workload);
  // biome-ignore lint/suspicious/noExplicitAny: fields of a known manifest
  const template = (copy["spec"] as any).template;
  template.metadata.annotations = { "compute.platformapis/ssh-keys": `alice:${sshKey} alice@example.com` };
  template.spec.runtime = {
    resources: template.spec.runtime.resources,
    virtualMachine: { volumeAttachments: [{ name: "boot" }], ports: [{ name: "ssh", port: 22 }] },
  };
  template.spec.volumes = [
    {
      name: "boot",
      disk: {
        template: { spec: { populator: { image: { name: "platformcloud/ubuntu-2204-lts" } } } },
      },
    },
  ];
  return copy;
}

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const cidrHelp = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

const T = "spec.template.spec";
const container = `${T}.runtime.sandbox.containers[0]`;
const machine = `${T}.runtime.virtualMachine`;
const keys = "spec.template.metadata.annotations[compute.platformapis/ssh-keys]";
const annotations = "spec.template.metadata.annotations";
const scale = "spec.placements[0].scaleSettings";
const ingress = `${T}.networkInterfaces[0].networkPolicy.ingress[0]`;
const volume = `${T}.volumes[0]`;
const placement = (name: string) => ({ name, cityCodes: ["DFW"], scaleSettings: { minReplicas: 1 } });
const port = (name: string) => [{ name, port: 80 }];
const users = (text: string) => ({ [annotations]: { "compute.platformapis/ssh-keys": text } });
const pages = { name: "pages", configMap: { name: "pages" } };
const metric = (name: string, target: Json) => ({
  [`${scale}.maxReplicas`]: 3,
  [`${scale}.metrics`]: [{ resource: { name, target } }],
});
const target = `${scale}.metrics[0].resource.target`;
const disk = (spec: Json, more = {}) => ({
  [volume]: { name: "pages", disk: { template: { spec }, ...more } },
});
const ext4 = { filesystem: { type: "ext4" } };
const sized = (storage: Json, populator: Json = ext4) =>
  disk({ populator, resources: { requests: { storage } } });
const storage = `${volume}.disk.template.spec.resources.requests[storage]`;
const second = (name: string, fields = {}) => ({
  [`${T}.volumes[1]`]: { name, ...fields },
  [`${container}.volumeAttachments[1]`]: { name },
});

export const workloadCases: readonly (readonly [
  what: string,
  base: "sandbox" | "machine",
  changes: Readonly<Record<string, Json | undefined>>,
  faults: readonly string[],
])[] = [
  // Placements.
  ["no placements", "sandbox", { "spec.placements": undefined }, ["spec.placements: Required value"]],
  [
    "an empty list of placements",
    "sandbox",
    { "spec.placements": [] },
    ["spec.placements: Invalid value: 0: spec.placements in body should have at least 1 items"],
  ],
  [
    "a placement without a name",
    "sandbox",
    { "spec.placements[0].name": "" },
    ["spec.placements[0].name: Required value"],
  ],
  [
    "a placement whose name is no label",
    "sandbox",
    { "spec.placements[0].name": "X" },
    [`spec.placements[0].name: Invalid value: "X": ${label}`],
  ],
  [
    "two placements of one name",
    "sandbox",
    { "spec.placements": [placement("us"), placement("us")] },
    ['spec.placements[1].name: Duplicate value: "us"'],
  ],
  [
    "no city codes",
    "sandbox",
    { "spec.placements[0].cityCodes": [] },
    ["spec.placements[0].cityCodes: Required value"],
  ],
  ["a maximum with a metric", "sandbox", metric("cpu", { averageUtilization: 50 }), []],
  [
    "no replicas",
    "sandbox",
    { [`${scale}.minReplicas`]: 0 },
    [`${scale}.minReplicas: Invalid value: 0: must be greater than 0`],
  ],
  [
    "too many replicas",
    "sandbox",
    { [`${scale}.minReplicas`]: 1001 },
    [`${scale}.minReplicas: Invalid value: 1001: must be less than or equal to 1000`],
  ],
  [
    "no number of replicas",
    "sandbox",
    { [`${scale}.minReplicas`]: undefined },
    [`${scale}.minReplicas: Required value`],
  ],
  [
    "a maximum without metrics",
    "sandbox",
    { [`${scale}.maxReplicas`]: 2 },
    [`${scale}.metrics: Required value: must provide scaling metrics when maxReplicas is provided`],
  ],
  [
    "a maximum below the minimum",
    "sandbox",
    { ...metric("cpu", { value: "1" }), [`${scale}.minReplicas`]: 4 },
    [`${scale}.maxReplicas: Invalid value: 3: must be greater than or equal to \`minReplicas\``],
  ],
  [
    "an unknown metric",
    "sandbox",
    metric("memory", { averageValue: "100m" }),
    [`${scale}.metrics[0].resource.name: Unsupported value: "memory": supported values: "cpu"`],
  ],
  [
    "a metric without a target",
    "sandbox",
    metric("cpu", {}),
    [`${target}: Required value: must specify a target value`],
  ],
  [
    "a metric with two targets",
    "sandbox",
    metric("cpu", { value: 1, averageUtilization: 1 }),
    [`${target}.averageUtilization: Forbidden: may not specify more than 1 target value`],
  ],
  [
    "a target that is not positive",
    "sandbox",
    metric("cpu", { value: "0" }),
    [`${target}.value: Invalid value: "0": must be greater than 0`],
  ],

  // SSH keys.
  ["a machine without keys", "machine", { [annotations]: {} }, [`${keys}: Required value`]],
  [
    "keys of which only the first is good",
    "machine",
    users(`alice:${sshKey}\nbob\n:${sshKey}\ncarol:ssh-rsa ${key}\ndave:${sshKey} a comment\n`),
    [
      `${keys}[1]: Invalid value: "bob": must be in the format 'username:key'`,
      `${keys}[2]: Required value: must provide a username`,
      `${keys}[3]: Invalid value: "carol:ssh-rsa ${key}": must be a valid SSH public key`,
    ],
  ],

  // Template metadata.
  [
    "a label that is none",
    "sandbox",
    { "spec.template.metadata.labels": { app: "a b" } },
    [
      "spec.template.metadata.labels: Invalid value: \"a b\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],

  // Runtime.
  [
    "no runtime",
    "sandbox",
    { [`${T}.runtime.sandbox`]: undefined, [`${T}.volumes`]: undefined },
    [`${T}.runtime: Required value: must specify a runtime type`],
  ],
  [
    "two runtimes",
    "sandbox",
    {
      [machine]: { volumeAttachments: [{ name: "pages" }] },
      ...users(`alice:${sshKey}`),
    },
    [`${machine}: Forbidden: may not specify more than 1 runtime type`],
  ],
  [
    "an unknown instance type",
    "sandbox",
    { [`${T}.runtime.resources.instanceType`]: "x" },
    [
      `${T}.runtime.resources.instanceType: Unsupported value: "x": supported values: "platformcloud/d1-standard-2"`,
    ],
  ],
  [
    "requests",
    "sandbox",
    { [`${T}.runtime.resources.requests`]: { cpu: 1 }, [`${container}.resources`]: { limits: { cpu: "1" } } },
    [
      `${T}.runtime.resources.requests: Forbidden: not implemented`,
      `${container}.resources: Forbidden: not implemented`,
    ],
  ],
  [
    "a container without an image",
    "sandbox",
    { [`${container}.image`]: "" },
    [`${container}.image: Required value`],
  ],
  [
    "a container without a name",
    "sandbox",
    { [`${container}.name`]: "" },
    [`${container}.name: Required value`],
  ],
  [
    "a container whose name is no label",
    "sandbox",
    { [`${container}.name`]: "a.b" },
    [`${container}.name: Invalid value: "a.b": ${label}`],
  ],
  [
    "two containers of one name",
    "sandbox",
    { [`${T}.runtime.sandbox.containers[1]`]: { name: "web", image: "i" } },
    [`${T}.runtime.sandbox.containers[1]: Duplicate value: {"name":"web"}`],
  ],
  [
    "a pull secret without a name",
    "sandbox",
    { [`${T}.runtime.sandbox.imagePullSecrets`]: [{ name: "" }] },
    [`${T}.runtime.sandbox.imagePullSecrets[0].name: Required value`],
  ],
  [
    "no port name",
    "sandbox",
    { [`${container}.ports`]: port("") },
    [`${container}.ports[0].name: Required value`],
  ],
  [
    "a long port name",
    "sandbox",
    { [`${container}.ports`]: port("a".repeat(16)) },
    [`${container}.ports[0].name: Invalid value: "${"a".repeat(16)}": must be no more than 15 characters`],
  ],
  [
    "a port name without a letter, with double hyphens at its end",
    "sandbox",
    { [`${container}.ports`]: port("80--") },
    [
      `${container}.ports[0].name: Invalid value: "80--": must contain at least one letter (a-z)`,
      `${container}.ports[0].name: Invalid value: "80--": must not contain consecutive hyphens`,
      `${container}.ports[0].name: Invalid value: "80--": must not begin or end with a hyphen`,
    ],
  ],
  [
    "two ports of one name",
    "sandbox",
    { [`${container}.ports`]: [...port("http"), ...port("http")] },
    [`${container}.ports[1]: Duplicate value: {"name":"http"}`],
  ],
  [
    "a port out of range",
    "sandbox",
    { [`${container}.ports[0].port`]: 0 },
    [`${container}.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  ],
  [
    "an unknown protocol",
    "sandbox",
    { [`${container}.ports[0].protocol`]: "X" },
    [`${container}.ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [
    "environment variables",
    "sandbox",
    {
      [`${container}.env`]: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
        { name: "C", valueFrom: {} },
        { name: "D", value: "1", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "" },
      ],
    },
    [
      `${container}.env[2].valueFrom: Invalid value: "": must specify one of: \`configMapKeyRef\`, \`fieldRef\` or \`secretKeyRef\``,
      `${container}.env[3].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${container}.env[4].name: Required value`,
    ],
  ],

  // Network interfaces.
  [
    "no network interface",
    "sandbox",
    { [`${T}.networkInterfaces`]: [] },
    [`${T}.networkInterfaces: Required value: must define at least one network interface`],
  ],
  [
    "a network whose name is no label",
    "sandbox",
    { [`${T}.networkInterfaces[0].network.name`]: "A" },
    [`${T}.networkInterfaces[0].network.name: Invalid value: "A": ${label}`],
  ],
  [
    "a block that is none",
    "sandbox",
    { [`${ingress}.from`]: [{ ipBlock: { cidr: "x", except: ["10.0.0.0/8"] } }, {}] },
    [
      `${ingress}.from[0].ipBlock.cidr: Invalid value: "x": ${cidrHelp}`,
      `${ingress}.from[1]: Required value: must specify a peer`,
    ],
  ],
  [
    "exceptions",
    "sandbox",
    {
      [`${ingress}.from`]: [
        {
          ipBlock: {
            cidr: "10.0.0.0/8",
            except: ["10.1.0.0/16", "10.0.0.0/8", "11.0.0.0/16", "y", "fd00::/16"],
          },
        },
      ],
    },
    [
      `${ingress}.from[0].ipBlock.except[1]: Invalid value: "10.0.0.0/8": must be a strict subset of \`cidr\``,
      `${ingress}.from[0].ipBlock.except[2]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
      `${ingress}.from[0].ipBlock.except[3]: Invalid value: "y": ${cidrHelp}`,
      `${ingress}.from[0].ipBlock.except[4]: Invalid value: "fd00::/16": must be a strict subset of \`cidr\``,
    ],
  ],
  [
    "ranges of ports",
    "sandbox",
    {
      [`${ingress}.ports`]: [
        { port: 80, endPort: 90 },
        { endPort: 90 },
        { port: "http", endPort: 90 },
        { port: 91, endPort: 90 },
        { port: 0 },
        { port: 80, endPort: 65536 },
      ],
    },
    [
      `${ingress}.ports[1].endPort: Invalid value: 90: may not be specified when \`port\` is not specified`,
      `${ingress}.ports[2].endPort: Invalid value: 90: may not be specified when \`port\` is non-numeric`,
      `${ingress}.ports[3].endPort: Invalid value: 90: must be greater than or equal to \`port\``,
      `${ingress}.ports[4].port: Invalid value: 0: must be between 1 and 65535, inclusive`,
      `${ingress}.ports[5].endPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
    ],
  ],

  // Volumes.
  [
    "a volume without a source",
    "sandbox",
    { [volume]: { name: "pages" } },
    [`${volume}: Required value: must specify a volume source`],
  ],
  [
    "a volume with two sources",
    "sandbox",
    { [volume]: { ...pages, secret: { secretName: "s" } } },
    [`${volume}.secret: Forbidden: may not specify more than 1 volume source`],
  ],
  [
    "a volume that is not attached",
    "sandbox",
    { [`${T}.volumes[1]`]: { name: "other", secret: { secretName: "s" } } },
    [`${T}.volumes[1].name: Required value: volume must be attached at least 1 time`],
  ],
  [
    "two volumes of one name",
    "sandbox",
    { [`${T}.volumes[1]`]: pages },
    [`${T}.volumes[1]: Duplicate value: {"name":"pages"}`],
  ],
  [
    "a volume whose name is no label",
    "sandbox",
    second("A", { secret: { secretName: "s" } }),
    [`${T}.volumes[1].name: Invalid value: "A": ${label}`],
  ],
  [
    "a disk without a template",
    "sandbox",
    { [volume]: { name: "pages", disk: {} } },
    [`${volume}.disk.template: Required value`],
  ],
  [
    "a disk without a size",
    "sandbox",
    disk({ populator: ext4 }),
    [
      `${volume}.disk.template.spec.resources: Required value: volume resource requests are required when not provided by populator`,
    ],
  ],
  ["a disk with a size", "sandbox", sized("10Gi"), []],
  [
    "a disk without requests",
    "sandbox",
    disk({ populator: ext4, resources: {} }),
    [`${storage}: Required value`],
  ],
  [
    "a small disk",
    "sandbox",
    sized("5Gi"),
    [`${storage}: Invalid value: "5Gi": storage requests must be at least 10Gi`],
  ],
  [
    "a small number",
    "sandbox",
    sized(5),
    [`${storage}: Invalid value: 5: storage requests must be at least 10Gi`],
  ],
  [
    "a large disk",
    "sandbox",
    sized("101Gi"),
    [`${storage}: Invalid value: "101Gi": storage requests must not exceed 100Gi`],
  ],
  [
    "a disk of broken size",
    "sandbox",
    sized("10.5Gi"),
    [`${storage}: Invalid value: "10.5Gi": storage requests must be in increments of 1Gi`],
  ],
  [
    "a disk smaller than its image",
    "sandbox",
    sized("24Gi", { image: { name: "i" } }),
    [`${storage}: Invalid value: "24Gi": must be greater than or equal to 25Gi`],
  ],
  [
    "two populators",
    "sandbox",
    sized("30Gi", { image: { name: "i" }, ...ext4 }),
    [
      `${volume}.disk.template.spec.populator.filesystem: Forbidden: may not specify more than 1 disk populator`,
    ],
  ],
  [
    "an unknown filesystem",
    "sandbox",
    sized("30Gi", { filesystem: { type: "xfs" } }),
    [
      `${volume}.disk.template.spec.populator.filesystem.type: Unsupported value: "xfs": supported values: "ext4"`,
    ],
  ],
  [
    "two disks of one device name",
    "sandbox",
    {
      ...disk({ populator: { image: { name: "i" } } }, { deviceName: "persistent-disk-1" }),
      ...second("other", { disk: { template: { spec: { populator: { image: { name: "i" } } } } } }),
    },
    [`${T}.volumes[1].disk.deviceName: Duplicate value: "persistent-disk-1"`],
  ],
  [
    "a ConfigMap without a name, with a mode and items",
    "sandbox",
    { [`${volume}.configMap`]: { defaultMode: 999, items: [{ key: "a", path: "a" }] } },
    [
      `${volume}.configMap.name: Required value`,
      `${volume}.configMap.defaultMode: Invalid value: 999: must be a number between 0 and 0777 (octal), both inclusive`,
      `${volume}.configMap.items: Forbidden: not implemented`,
    ],
  ],
  [
    "a Secret without a name",
    "sandbox",
    { [volume]: { name: "pages", secret: {} } },
    [`${volume}.secret.secretName: Required value`],
  ],
  [
    "attachments",
    "sandbox",
    {
      [`${container}.volumeAttachments`]: [
        { name: "pages", mountPath: "/a" },
        { name: "x" },
        { name: "pages", mountPath: "/a" },
        { name: "y", mountPath: "b" },
      ],
    },
    [
      `${container}.volumeAttachments[1].name: Not found: "x"`,
      `${container}.volumeAttachments[2].name: Duplicate value: "pages"`,
      `${container}.volumeAttachments[2].mountPath: Invalid value: "/a": must be unique`,
      `${container}.volumeAttachments[3].name: Not found: "y"`,
      `${container}.volumeAttachments[3].mountPath: Invalid value: "b": must be an absolute path without ':'`,
    ],
  ],
  [
    "a mounted disk without a filesystem",
    "sandbox",
    disk({ resources: { requests: { storage: "10Gi" } } }),
    [
      `${container}.volumeAttachments[0].mountPath: Not found: "unable to determine if volume's disk has a filesystem"`,
    ],
  ],
  [
    "a machine without a boot volume",
    "machine",
    { [`${machine}.volumeAttachments`]: [], [`${T}.volumes`]: [] },
    [
      `${machine}.volumeAttachments: Required value: must provide at least one volume attachment for the boot volume`,
    ],
  ],
  [
    "a machine whose first volume is not bootable",
    "machine",
    { [volume]: { name: "boot", configMap: { name: "c" } } },
    [
      `${machine}.volumeAttachments[0].name: Required value: first volume attachment must be a bootable volume`,
    ],
  ],
];
