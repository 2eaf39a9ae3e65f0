import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  type InstanceState,
  type Runtime,
  RuntimeError,
  type RuntimeInstance,
  type RuntimeNetwork,
} from "../../../src/platform/provider/runtime/runtime.ts";

/** The fixture that runs the contract suite on an implementation of {@link Runtime}. */
export interface RuntimeFixture extends AsyncDisposable {
  readonly runtime: Runtime;
  /** An image that can be run. */
  readonly image: string;
  /** A subnet of IPv4 that nobody else has, `/24`. */
  subnet(): string;
  /** Passes time until something may have changed. */
  pass(): Promise<void>;
}

const never = new AbortController().signal;
const looks = 1_000;

export function makeNetwork(subnet: string): RuntimeNetwork {
  return { uid: randomUUID(), plane: "acme/site", name: "default/net", subnets: [subnet], mtu: 1400 };
}

/** An instance of one container, with an address of the network. */
export function makeInstance(
  image: string,
  network: RuntimeNetwork,
  changes: Partial<RuntimeInstance> = {},
  host = 10,
): RuntimeInstance {
  const [subnet = ""] = network.subnets;
  return {
    uid: randomUUID(),
    plane: network.plane,
    name: "default/web-0",
    workload: "default/web",
    hostname: "web-0",
    cpus: 1,
    memoryBytes: 128 * 2 ** 20,
    networks: [{ networkUid: network.uid, address: subnet.replace(/0\/24$/, String(host)), openPorts: [] }],
    containers: [{ name: "main", image, env: { GREETING: "hello" }, mounts: [] }],
    pullSecrets: [],
    ...changes,
  };
}

/** Looks at an instance until it has the status. @returns the states on the way, without repeats */
export async function reach(
  { runtime, pass }: Pick<RuntimeFixture, "runtime" | "pass">,
  instance: RuntimeInstance,
  status: InstanceState["status"] = "Running",
): Promise<InstanceState[]> {
  const states: InstanceState[] = [];
  for (let look = 0; look < looks; look++) {
    const state = await runtime.ensureInstance(instance, never);
    if (state.status !== states.at(-1)?.status) states.push(state);
    if (state.status === status) return states;
    await pass();
  }
  throw new Error(`never ${status}: ${JSON.stringify(states)}`);
}

/** Removes an instance, in as many steps as it takes. */
export async function removeWhole(
  { runtime, pass }: Pick<RuntimeFixture, "runtime" | "pass">,
  uid: string,
): Promise<void> {
  for (let look = 0; look < looks; look++) {
    if (await runtime.removeInstance(uid, never)) return;
    await pass();
  }
  throw new Error("never removed");
}

/** The contract of every runtime, whatever runs its instances. */
export function describeRuntime(name: string, create: () => Promise<RuntimeFixture>): void {
  describe(`instances of the ${name} runtime`, () => {
    test("reach Running, however often they are asked for, and are there once", async () => {
      await using fixture = await create();
      const { runtime, image } = fixture;
      const network = makeNetwork(fixture.subnet());
      const instance = makeInstance(image, network);
      await runtime.ensureNetwork(network, never);
      await runtime.ensureNetwork(network, never);
      const states = (await reach(fixture, instance)).map(({ status }) => status);
      expect(["Provisioning", "Staging", "Running"]).toEqual(expect.arrayContaining(states));
      const again = await runtime.ensureInstance(instance, never);
      expect(again.status).toBe("Running");
      expect(await runtime.inventory(never)).toEqual({
        instances: [{ uid: instance.uid, plane: instance.plane }],
        networks: [{ uid: network.uid, plane: network.plane }],
      });
    });

    test("are removed whole, and removing them again is nothing", async () => {
      await using fixture = await create();
      const { runtime, image } = fixture;
      const network = makeNetwork(fixture.subnet());
      const one = makeInstance(image, network, {}, 10);
      const other = makeInstance(image, network, {}, 11);
      await runtime.ensureNetwork(network, never);
      await reach(fixture, one);
      await reach(fixture, other);
      await removeWhole(fixture, one.uid);
      expect(await runtime.removeInstance(one.uid, never)).toBe(true);
      expect((await runtime.inventory(never)).instances).toMatchObject([{ uid: other.uid }]);
    });

    test("are replaced when their specification changes, and are there once", async () => {
      await using fixture = await create();
      const { runtime, image } = fixture;
      const network = makeNetwork(fixture.subnet());
      const instance = makeInstance(image, network);
      await runtime.ensureNetwork(network, never);
      await reach(fixture, instance);
      const containers = instance.containers.map((container) => ({ ...container, env: { GREETING: "bye" } }));
      await reach(fixture, { ...instance, containers });
      expect((await runtime.inventory(never)).instances).toMatchObject([{ uid: instance.uid }]);
    });

    test("keep their address, whatever they are asked for with, and nobody else gets it", async () => {
      await using fixture = await create();
      const { runtime, image } = fixture;
      const network = makeNetwork(fixture.subnet());
      const instance = makeInstance(image, network, {}, 10);
      const moved = { ...instance, networks: makeInstance(image, network, {}, 11).networks };
      const second = makeInstance(image, network, {}, 10);
      await runtime.ensureNetwork(network, never);
      await reach(fixture, instance);
      for (const [asked, reason] of [
        [moved, "AddressDiffers"],
        [second, "AddressInUse"],
      ] as const) {
        const failed = { outcome: "refused", reason };
        await expect(runtime.ensureInstance(asked, never)).rejects.toMatchObject(failed);
      }
      expect((await runtime.ensureInstance(instance, never)).status).toBe("Running");
      await removeWhole(fixture, instance.uid);
      await reach(fixture, second);
    });

    test("an instance that was never made is gone", async () => {
      await using fixture = await create();
      expect(await fixture.runtime.removeInstance(randomUUID(), never)).toBe(true);
    });
  });

  describe(`networks of the ${name} runtime`, () => {
    test("stay while an instance is in them, and go after it", async () => {
      await using fixture = await create();
      const { runtime, image } = fixture;
      const network = makeNetwork(fixture.subnet());
      const instance = makeInstance(image, network);
      await runtime.ensureNetwork(network, never);
      await reach(fixture, instance);
      await expect(runtime.removeNetwork(network.uid, never)).rejects.toThrow(RuntimeError);
      await removeWhole(fixture, instance.uid);
      await runtime.removeNetwork(network.uid, never);
      await runtime.removeNetwork(network.uid, never);
      expect(await runtime.inventory(never)).toEqual({ instances: [], networks: [] });
    });

    test("with other subnets are refused", async () => {
      await using fixture = await create();
      const network = makeNetwork(fixture.subnet());
      await fixture.runtime.ensureNetwork(network, never);
      const other = { ...network, subnets: [fixture.subnet()] };
      await expect(fixture.runtime.ensureNetwork(other, never)).rejects.toMatchObject({ outcome: "refused" });
    });
  });

  describe(`the ${name} runtime`, () => {
    test("rejects with the reason of the signal", async () => {
      await using fixture = await create();
      const network = makeNetwork(fixture.subnet());
      const reason = new Error("stopped");
      const stopped = AbortSignal.abort(reason);
      await expect(fixture.runtime.ensureNetwork(network, stopped)).rejects.toBe(reason);
      const instance = makeInstance(fixture.image, network);
      await expect(fixture.runtime.ensureInstance(instance, stopped)).rejects.toBe(reason);
    });

    test("watches until the signal", async () => {
      await using fixture = await create();
      const stop = new AbortController();
      const watching = fixture.runtime.watch(() => undefined, stop.signal);
      stop.abort();
      await watching;
    });
  });
}
