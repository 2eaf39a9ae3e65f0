import { expect, test } from "vitest";
import { makeInstance, makeNetwork } from "../../../../test/support/contracts/runtime.ts";
import type { EngineInventory } from "./engine-inventory.ts";
import { chooseAddress, ExternalAddresses } from "./external-addresses.ts";
import { labelOf } from "./labels.ts";

const other = (address: string, ...ports: string[]) => ({ address, ports });

test.each<[string, Parameters<typeof chooseAddress>, string | undefined]>([
  ["the first", [["a", "b"], ["tcp/80"], [], undefined, new Set()], "a"],
  ["the one that it had", [["a", "b"], ["tcp/80"], [], "b", new Set()], "b"],
  ["not one that is no longer there", [["a", "b"], ["tcp/80"], [], "c", new Set()], "a"],
  [
    "not the one that it had, if its port is taken",
    [["a", "b"], ["tcp/80"], [other("b", "tcp/80")], "b", new Set()],
    "a",
  ],
  [
    "one of its own before one that is shared",
    [["a", "b"], ["tcp/80"], [other("a", "tcp/81")], undefined, new Set()],
    "b",
  ],
  [
    "not one of an instance that may come again",
    [["a", "b"], ["tcp/80"], [], undefined, new Set(["a"])],
    "b",
  ],
  [
    "that one before one that is shared",
    [["a", "b"], ["tcp/80"], [other("b", "udp/80")], undefined, new Set(["a"])],
    "a",
  ],
  ["one that is shared", [["a"], ["tcp/80", "udp/1"], [other("a", "tcp/81")], undefined, new Set()], "a"],
  ["none", [["a"], ["tcp/80", "udp/1"], [other("a", "tcp/81", "udp/1")], undefined, new Set()], undefined],
])("an external address: %s", (_, asked, expected) => {
  expect(chooseAddress(...asked)).toBe(expected);
});

test("the address of an instance that is gone waits for the next one of its name", async () => {
  const never = new AbortController().signal;
  const inventory = { containers: async () => [] } as unknown as EngineInventory;
  const addresses = new ExternalAddresses(["a", "b"], inventory);
  const instance = makeInstance("web:1", makeNetwork("10.1.2.0/24"));
  const openPorts = [{ protocol: "TCP", port: 80 }] as const;
  const networks = [{ ...instance.networks[0]!, openPorts }];
  const given = async (name: string): Promise<string | undefined> => {
    let address: string | undefined;
    const create = async (chosen: string | undefined) => {
      address = chosen;
    };
    await addresses.create({ ...instance, name, networks }, create, never);
    return address;
  };
  const labels = (name: string) => ({ [labelOf.plane]: instance.plane, [labelOf.name]: name });
  addresses.remember({ Labels: { ...labels("default/web-0"), [labelOf.publishedAddress]: "a" } });
  addresses.remember({ Labels: labels("default/web-0") });
  expect([await given("default/web-1"), await given("default/web-0")]).toEqual(["b", "a"]);
  for (let index = 0; index < 5_000; index++) {
    addresses.remember({ Labels: { ...labels(`default/other-${index}`), [labelOf.publishedAddress]: "a" } });
  }
  expect(await given("default/web-0")).toBe("b");
});
