import fc from "fast-check";
import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { RuntimeInstance } from "../runtime/runtime.ts";
import { EmulatedAddresses } from "./emulated-addresses.ts";
import { isNamed } from "./emulated-faults.ts";
import { EmulatedRuntime } from "./emulated-runtime.ts";

const faults = { missingRoles: [], domainRestricted: false, failInstances: [], hang: [] };
const instance: RuntimeInstance = {
  ...{ uid: "u", plane: "acme/shop", name: "default/web-0", workload: "web", hostname: "web-0" },
  ...{ cpus: 2, memoryBytes: 1, networks: [], containers: [], pullSecrets: [] },
};

test("each step takes its time, and a late look skips none", async () => {
  const clock = new TestClock(0);
  const runtime = new EmulatedRuntime({ stepMs: 2_000, faults, clock });
  const seen = async (afterMs: number) => {
    clock.advance(afterMs);
    const { status, againMs } = await runtime.ensureInstance(instance);
    return [status, againMs];
  };
  expect(await seen(0)).toEqual(["Provisioning", 2_000]);
  expect(await seen(500)).toEqual(["Provisioning", 1_500]);
  expect(await seen(60_000)).toEqual(["Staging", 2_000]);
  expect(await seen(2_000)).toEqual(["Running", undefined]);
});

test("what was reported as running still runs after a restart, at its address", async () => {
  const runtime = new EmulatedRuntime({ stepMs: 2_000, faults, clock: new TestClock(0) });
  await runtime.ensureNetwork({ uid: "n", plane: "p", name: "a/b", subnets: ["10.0.0.0/20"], mtu: 1460 });
  const attachment = { networkUid: "n", address: "10.0.0.2", reportedExternal: "198.19.1.2", openPorts: [] };
  const known = { ...instance, reported: "Running", networks: [attachment] } as const;
  expect(await runtime.ensureInstance(known)).toEqual({
    status: "Running",
    externalAddresses: ["198.19.1.2"],
  });
  await expect(runtime.removeNetwork("n")).rejects.toThrow("instances are in the network");
});

test("external addresses are unique and of the range", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { maxLength: 200 }), (uids) => {
      const addresses = new EmulatedAddresses();
      const given = uids.map((uid) => addresses.of(uid, 0, "198.18.0.1"));
      expect(new Set(given).size).toBe(uids.length);
      for (const address of given) expect(address).toMatch(/^198\.(18|19)\.\d+\.\d+$/);
    }),
  );
});

test.each([
  ["web-0", true],
  ["web-*", true],
  ["*", true],
  ["default/web-0", true],
  ["other/*", false],
  ["w*b*0", true],
  ["web", false],
  ["web-0*0", false],
])("the pattern %s", (pattern, isMatch) => {
  expect(isNamed([pattern], "default/web-0")).toBe(isMatch);
});
