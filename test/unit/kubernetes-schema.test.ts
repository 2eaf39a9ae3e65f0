import { expect, test } from "vitest";
import { schemaFaults } from "../support/manifests/kubernetes-schema.ts";

const port = { name: "ops", port: 9464, targetPort: "ops" };
const service = (spec: object) => ({ apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec });

test.each<[string, Parameters<typeof schemaFaults>[0], string[]]>([
  ["a sound Service", service({ selector: { a: "b" }, ports: [port] }), []],
  ["an unknown field", service({ port: 1 }), ["Service s.spec.port: unknown field"]],
  ["a number for a text", service({ selector: { a: 1 } }), ["Service s.spec.selector.a: must be a string"]],
  ["no list", service({ ports: port }), ["Service s.spec.ports: must be a list"]],
  ["no port", service({ ports: [{ name: "ops" }] }), ["Service s.spec.ports[0].port: is required"]],
  [
    "neither number nor text",
    service({ ports: [{ ...port, targetPort: true }] }),
    ["Service s.spec.ports[0].targetPort: must be a number or a string"],
  ],
  [
    "a kind of another version",
    { ...service({}), apiVersion: "policy/v1beta1" },
    ["Service: no such kind in policy/v1beta1"],
  ],
])("%s", (_, manifest, faults) => {
  expect(schemaFaults(manifest)).toEqual(faults);
});
