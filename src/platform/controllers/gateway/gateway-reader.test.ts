import { expect, test } from "vitest";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import type { NumberClaims } from "../../../kube-server/store/number-claims.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { DerivedGateways, readGateway } from "./gateway-reader.ts";

const plane = { type: "project", name: "web", uid: "p1", organization: "acme" } as const;
const target = { plane, kind: gatewayKind("platformapis"), namespace: "default", name: "g" };
const objectOf = (name: string, generation: number, fields: object): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Any" },
  metadata: { name, namespace: "default", uid: `uid-${name}`, generation },
  ...fields,
});
const gateway = objectOf("g", 1, { spec: { listeners: [{ name: "http", port: 80, protocol: "HTTP" }] } });
const backendRefs = [{ group: "discovery.k8s.io", kind: "EndpointSlice", name: "s", port: 80 }];
const parentRefs = [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "g" }];
const routeOf = (generation: number, path: string): KubeObject => {
  const matches = [{ path: { type: "PathPrefix", value: path } }];
  return objectOf("r", generation, {
    spec: { parentRefs, rules: [{ matches, backendRefs }] },
  });
};
const sliceOf = (generation: number, address: string): KubeObject =>
  objectOf("s", generation, {
    ...{ addressType: "IPv4", endpoints: [{ addresses: [address] }] },
    ports: [{ port: 80, protocol: "TCP" }],
  });

test("a program is derived once for each generation of what it is made of", async () => {
  const present = { route: routeOf(1, "/a"), slice: sliceOf(1, "192.0.2.1") };
  const objects = {
    dependents: async () => [structuredClone(present.route)],
    get: async () => structuredClone(present.slice),
    async *each() {},
  } as unknown as ControlObjects;
  const reading = {
    ...{ objects, groupDomain: "platformapis", derived: new DerivedGateways() },
    claims: {} as NumberClaims,
    hostnames: { read: async () => new Map() },
  };
  const read = () => readGateway(reading, target, gateway);
  const first = await read();
  expect(first.program.matches[0]?.path.value).toBe("/a");
  const again = await read();
  expect(again.program).toBe(first.program);
  expect(again.routes).toEqual(first.routes);
  // Its status is written with what was read last.
  expect(again.routes[0]?.route).not.toBe(first.routes[0]?.route);
  present.route = routeOf(2, "/b");
  expect((await read()).program.matches[0]?.path.value).toBe("/b");
  present.slice = sliceOf(2, "192.0.2.2");
  expect((await read()).program.rules[0]?.action).toMatchObject({ backend: { host: "192.0.2.2" } });
});

test("the least recent programs are forgotten, so that all have some MiB", () => {
  const derived = new DerivedGateways();
  let count = 0;
  const derive = (bytes: number) => () => {
    count++;
    return { program: {} as never, attachments: new Map(), bytes };
  };
  const large = 1.5 * 2 ** 20;
  for (const name of ["a", "b", "a", "a"]) derived.get(name, "1", derive(large));
  expect(count).toBe(2);
  derived.get("c", "1", derive(large));
  derived.get("a", "1", derive(large));
  expect(count).toBe(3);
  derived.get("b", "1", derive(large));
  expect(count).toBe(4);
  derived.get("a", "2", derive(0));
  derived.get("b", "1", derive(large));
  expect(count).toBe(5);
});
