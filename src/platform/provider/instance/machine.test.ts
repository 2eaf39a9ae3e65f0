import { expect, test } from "vitest";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { machineOf } from "./machine.ts";

const disk = (spec: object, deviceName?: string) => ({ disk: { deviceName, template: { spec } } });
const storage = { requests: { storage: "25Gi" } };

function instance(changes: { keys?: string; attachments?: object[]; volumes?: object[] } = {}): PlaneObject {
  const { keys = "ann:ssh-rsa AAAA", attachments = [], volumes = [] } = changes;
  return {
    metadata: { name: "vm", annotations: { "compute.platformapis/ssh-keys": keys } },
    spec: {
      runtime: {
        virtualMachine: { volumeAttachments: attachments, ports: [{ name: "http", port: 8080 }] },
      },
      volumes,
    },
  } as unknown as PlaneObject;
}

const machine = (object: PlaneObject, missing = new Set<string>()) =>
  machineOf(object, "platformapis", (_, name) => (name === "pages" ? new Map() : undefined), missing)
    ?.machine;

test("a sandbox is no machine", () => {
  expect(machine({ metadata: {}, spec: { runtime: { sandbox: {} } } } as unknown as PlaneObject)).toBe(
    undefined,
  );
});

test("who may log in, by lines", () => {
  const { users, ports } = machine(
    instance({ keys: "\nann:ssh-rsa AAAA a:b\n ann : ssh-rsa BBBB \nroot:x\n" }),
  )!;
  expect([...users]).toEqual([
    ["ann", ["ssh-rsa AAAA a:b", "ssh-rsa BBBB"]],
    ["root", ["x"]],
  ]);
  expect(ports).toEqual([{ protocol: "TCP", port: 8080 }]);
});

test("volumes are in the order of their attachments, with names that a virtio disk can have", () => {
  const volumes = [
    { name: "pages", configMap: { name: "pages" } },
    { name: "data", ...disk({ populator: { filesystem: { type: "ext4" } }, resources: storage }) },
    { name: "boot", ...disk({ populator: { image: { name: "debian" } } }, "a,file=/etc/shadow,id=b") },
  ];
  const attachments = [{ name: "boot" }, { name: "data", mountPath: "/data" }, { name: "pages" }];
  expect(machine(instance({ volumes, attachments }))?.volumes).toMatchObject([
    { kind: "disk", device: "a-file--etc-shadow-i", image: "debian", sizeBytes: undefined },
    {
      kind: "disk",
      device: "persistent-disk-1",
      path: "/data",
      sizeBytes: 25 * 2 ** 30,
      hasFilesystem: true,
    },
    { kind: "files", device: "pages", path: undefined },
  ]);
});

test("a ConfigMap that is not there is missing", () => {
  const missing = new Set<string>();
  const volumes = [{ name: "pages", configMap: { name: "absent" } }];
  machine(instance({ volumes, attachments: [{ name: "pages" }] }), missing);
  expect([...missing]).toEqual(['ConfigMap "absent"']);
});
