import { randomInt, randomUUID } from "node:crypto";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createEngineClient, type EngineClient } from "../../src/platform/provider/engine/engine-client.ts";
import {
  EngineRuntime,
  type EngineRuntimeOptions,
} from "../../src/platform/provider/engine/engine-runtime.ts";
import { networkName } from "../../src/platform/provider/engine/labels.ts";
import type { RuntimeInstance, RuntimeNetwork } from "../../src/platform/provider/runtime/runtime.ts";
import {
  describeRuntime,
  makeInstance,
  makeNetwork,
  reach,
  removeWhole,
} from "../support/contracts/runtime.ts";
import {
  isDocker,
  type RunningEngine,
  randomSubnet,
  requireEngine,
  startEngine,
} from "../support/provider/engine.ts";
import { type ImageRegistry, startImageRegistry, writeImage } from "../support/provider/image-registry.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;
const registryPassword = "correct-horse-battery";
const image = "registry.example/web:1";

describe(`containers of a real ${isDocker ? "Docker" : "Podman"}`, () => {
  let engine: RunningEngine;
  let folder: string;
  let registry: ImageRegistry;

  setUpAll(async ({ keep, newFolder }) => {
    await requireEngine();
    folder = await newFolder("engine");
    registry = await keep(startImageRegistry("robot", registryPassword));
    engine = await keep(startEngine({ plainRegistry: registry.host }));
    await engine.image(image);
  });

  /** A runtime with a platform of its own; at its end all that it made is removed. */
  function makeFixture(changes: Partial<EngineRuntimeOptions> = {}) {
    const platform = changes.platform ?? randomUUID();
    const open = (client: EngineClient = createEngineClient(engine.socket)): EngineRuntime =>
      new EngineRuntime({
        client,
        clock: systemClock,
        platform,
        directory: join(folder, platform),
        log: silentLogger,
        pull: "missing",
        registries: ["docker.io", registry.host],
        firewall: { deny: [], allow: [] },
        graceMs: 0,
        minReadyMs: 0,
        ...changes,
      });
    const runtime = open();
    const pass = (): Promise<void> => sleep(20, never);
    return {
      runtime,
      image,
      platform,
      pass,
      open,
      subnet: () => randomSubnet().cidr,
      async [Symbol.asyncDispose]() {
        const { instances, networks } = await runtime.inventory(never);
        for (const { uid } of instances) await removeWhole({ runtime, pass }, uid);
        for (const { uid } of networks) await runtime.removeNetwork(uid, never);
        await runtime.close();
      },
    };
  }

  type Fixture = ReturnType<typeof makeFixture>;

  async function running(
    fixture: Fixture,
    changes: (network: RuntimeNetwork) => Partial<RuntimeInstance> = () => ({}),
  ): Promise<{ network: RuntimeNetwork; instance: RuntimeInstance }> {
    const network = makeNetwork(fixture.subnet());
    const instance = makeInstance(image, network, changes(network));
    await fixture.runtime.ensureNetwork(network, never);
    await reach(fixture, instance);
    return { network, instance };
  }

  const inside = (instance: RuntimeInstance, container: string, ...command: string[]): Promise<string> =>
    engine.cli("exec", `telemetryd-${instance.uid}-${container}`, ...command);

  /** Nothing of the machine's own file. */
  const hostsOf = ({ hostname, networks: [network] }: RuntimeInstance): string => {
    const names = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback"];
    return [...names, `${network!.address}\t${hostname}`, ""].join("\n");
  };

  const answer = async (address: string, port = 8080): Promise<string> => {
    const response = await fetch(`http://${address}:${port}/`, {
      signal: AbortSignal.timeout(1_000),
      headers: { connection: "close" },
    });
    return response.text();
  };

  /** A container runs before its server accepts connections. */
  const greets = (address: string): Promise<void> =>
    until("it answers", async () => (await answer(address)) === "hello\n");

  describeRuntime("engine", async () => makeFixture());

  test("an instance responds at its address, with its name, variables, limits and privileges", async () => {
    await using fixture = makeFixture();
    const { instance } = await running(fixture);
    await greets(instance.networks[0]!.address);
    expect(await inside(instance, "main", "hostname")).toBe("web-0\n");
    expect(await inside(instance, "main", "sh", "-c", "echo $GREETING")).toBe("hello\n");
    expect(await inside(instance, "main", "cat", "/etc/hosts")).toBe(hostsOf(instance));
    await expect(inside(instance, "main", "sh", "-c", "echo >>/etc/hosts")).rejects.toThrow(/Read-only/);
    const [shown] = JSON.parse(await engine.cli("inspect", `telemetryd-${instance.uid}-main`));
    expect(shown.HostConfig).toMatchObject({
      Memory: 128 * 2 ** 20,
      MemorySwap: 128 * 2 ** 20,
      NanoCpus: 1e9,
      CpuShares: 64,
      PidsLimit: 1024,
      Privileged: false,
    });
    const status = await inside(instance, "main", "cat", "/proc/1/status");
    expect(status).toMatch(/NoNewPrivs:\s*1/);
    expect(status).toMatch(/CapBnd:\s*00000000800405fb/);
  });

  test.each(["its file", "its containers"])("an instance that lost %s keeps its address", async (lost) => {
    await using fixture = makeFixture();
    const { network, instance } = await running(fixture);
    const moved = { ...instance, networks: makeInstance(image, network, {}, 11).networks };
    const file = join(folder, fixture.platform, instance.uid, ".addresses");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      [network.uid]: instance.networks[0]!.address,
    });
    if (lost === "its file") await rm(file);
    else {
      await engine.cli("stop", "--time", "0", `telemetryd-${instance.uid}-main`);
      await engine.cli("rm", `telemetryd-${instance.uid}-main`);
    }
    const refused = { outcome: "refused", reason: "AddressDiffers" };
    await expect(fixture.open().ensureInstance(moved, never)).rejects.toMatchObject(refused);
    await reach(fixture, instance);
    expect(await readFile(file, "utf8")).toContain(instance.networks[0]!.address);
    await removeWhole(fixture, instance.uid);
    await reach(fixture, moved);
  });

  test("instances of different networks do not reach each other", async () => {
    await using fixture = makeFixture();
    const { instance: one } = await running(fixture);
    const { instance: other } = await running(fixture);
    const address = one.networks[0]!.address;
    const asked = (instance: RuntimeInstance): Promise<string> =>
      inside(
        instance,
        "main",
        "sh",
        "-c",
        `echo "GET / HTTP/1.0" | nc -w 1 ${address} 8080 || echo unreachable`,
      );
    await until("it answers itself", async () => (await asked(one)).startsWith("HTTP/1.1"));
    expect(await asked(other)).toBe("unreachable\n");
  });

  test("containers of an instance share its address and its limits, also when the first one is killed", async () => {
    await using fixture = makeFixture();
    const second = "registry.example/second:1";
    await engine.image(second, { command: "exec httpd -f -p 8081 -h /www" });
    const main = { name: "main", image, env: {}, mounts: [] };
    const { instance } = await running(fixture, () => ({
      containers: [main, { ...main, name: "side", image: second }],
    }));
    const address = instance.networks[0]!.address;
    const bothAnswer = (): Promise<void> =>
      until("both answer", async () => {
        return (await answer(address)) + (await answer(address, 8081)) === "hello\nhello\n";
      });
    await bothAnswer();
    for (const name of ["main", "side"]) {
      expect(await inside(instance, name, "cat", "/etc/hosts")).toBe(hostsOf(instance));
      const [shown] = JSON.parse(await engine.cli("inspect", `telemetryd-${instance.uid}-${name}`));
      expect(shown.HostConfig).toMatchObject({ Memory: 64 * 2 ** 20, NanoCpus: 5e8 });
    }
    // Stopped and started by hand, the first one gets another network namespace.
    await engine.cli("stop", "--time", "0", `telemetryd-${instance.uid}-main`);
    const states = await reach(fixture, instance);
    expect(states.length).toBeGreaterThan(0);
    await bothAnswer();
    const pidOfMain = () =>
      engine.cli("inspect", "--format", "{{.State.Pid}}", `telemetryd-${instance.uid}-main`);
    const pid = await pidOfMain();
    process.kill(Number(pid), "SIGKILL");
    await until("it is restarted", async () => {
      const state = await fixture.runtime.ensureInstance(instance, never);
      // Only Podman does it by itself.
      if (isDocker) return !["0\n", pid].includes(await pidOfMain());
      return state.status === "Repairing" && state.detail === "container main was restarted once";
    });
    await until("the other one has followed", async () => {
      const state = await fixture.runtime.ensureInstance(instance, never);
      return state.status === "Running";
    });
    await bothAnswer();
  });

  test("files follow edits without a restart, also below others, and are read-only", async () => {
    await using fixture = makeFixture();
    const files = (contents: Record<string, string>, mode = 0o440) => ({
      mode,
      contents: Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, Buffer.from(text)])),
    });
    const withFiles = (instance: RuntimeInstance, shown: ReturnType<typeof files>): RuntimeInstance => {
      const mounts = [
        { kind: "files", volume: "below", path: "/etc/keys/below/it", files: shown },
        { kind: "files", volume: "keys", path: "/etc/keys", files: shown },
      ] as const;
      return { ...instance, containers: [{ name: "main", image, env: {}, mounts }] };
    };
    const network = makeNetwork(fixture.subnet());
    const instance = makeInstance(image, network);
    await fixture.runtime.ensureNetwork(network, never);
    await reach(fixture, withFiles(instance, files({ user: "robot", password: "first-secret" })));
    const id = await engine.cli(
      "inspect",
      "--format",
      "{{.Id}} {{.State.Pid}}",
      `telemetryd-${instance.uid}-main`,
    );
    const passwords = ["/etc/keys/password", "/etc/keys/below/it/password"];
    for (const path of passwords) expect(await inside(instance, "main", "cat", path)).toBe("first-secret");
    expect(await inside(instance, "main", "ls", "-lL", "/etc/keys/password")).toMatch(/^-r--r-----/);
    await expect(inside(instance, "main", "touch", "/etc/keys/new")).rejects.toThrow(/Read-only/);
    await reach(fixture, withFiles(instance, files({ password: "second-secret", more: "x" }, 0o400)));
    for (const path of passwords) expect(await inside(instance, "main", "cat", path)).toBe("second-secret");
    expect(await inside(instance, "main", "ls", "/etc/keys")).toBe("below\nmore\npassword\n");
    expect(await inside(instance, "main", "ls", "-lL", "/etc/keys/password")).toMatch(/^-r--------/);
    expect(
      await engine.cli("inspect", "--format", "{{.Id}} {{.State.Pid}}", `telemetryd-${instance.uid}-main`),
    ).toBe(id);
    expect(await engine.cli("inspect", `telemetryd-${instance.uid}-main`)).not.toContain("secret");
    expect((await stat(join(folder, fixture.platform))).mode & 0o777).toBe(0o700);
    await removeWhole(fixture, instance.uid);
    expect(await readdir(join(folder, fixture.platform))).toEqual([]);
  });

  test("a disk lives through a replacement and goes with its instance", async () => {
    await using fixture = makeFixture();
    const mounts = [{ kind: "disk", volume: "data", path: "/data", sizeBytes: 2 ** 30 }] as const;
    const main = { name: "main", image, env: {}, mounts };
    const { instance } = await running(fixture, () => ({ containers: [main] }));
    await inside(instance, "main", "touch", "/data/kept");
    await reach(fixture, { ...instance, containers: [{ ...main, env: { NEW: "1" } }] });
    expect(await inside(instance, "main", "ls", "/data")).toBe("kept\n");
    await removeWhole(fixture, instance.uid);
    expect(await engine.cli("volume", "ls", "--quiet")).not.toContain(instance.uid);
  });

  test.each([
    ["a disk", "/data/file", /^disk data holds [\d.]+MiB of 2MiB: the instance was stopped/],
    ["its own files", "/tmp/file", /^container main holds [\d.]+MiB of 4MiB: the instance was stopped/],
  ])("an instance that fills %s is stopped and says why; others run on", async (_, file, why) => {
    await using fixture = makeFixture({ layerBytes: 4 * 2 ** 20, measureEveryMs: 100 });
    const mounts = [{ kind: "disk", volume: "data", path: "/data", sizeBytes: 2 * 2 ** 20 }] as const;
    const disks = () => ({ containers: [{ name: "main", image, env: {}, mounts }] });
    const { instance } = await running(fixture, disks);
    const { instance: other } = await running(fixture, disks);
    const heard = new Set<string | undefined>();
    const stop = new AbortController();
    const watching = fixture.runtime.watch((uid) => heard.add(uid), stop.signal);
    const write = (to: string, kibibytes: number) =>
      inside(instance, "main", "busybox", "dd", "if=/dev/zero", `of=${to}`, "bs=1024", `count=${kibibytes}`);
    await write("/data/file", 1_900);
    await write("/tmp/file", 1_900);
    await sleep(2_000, never);
    expect(await fixture.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Running" });
    heard.clear();
    await write(file, 5_000);
    await until("it is stopped", async () => {
      const running = await engine.cli("ps", "--format", "{{.Names}}");
      return !running.includes(instance.uid) && running.includes(other.uid);
    });
    expect(heard).toContain(instance.uid);
    const refused = await fixture.runtime.ensureInstance(instance, never).catch((error: unknown) => error);
    expect(refused).toMatchObject({ outcome: "refused", reason: "DiskLimitExceeded" });
    expect((refused as Error).message).toMatch(why);
    expect(fixture.runtime.problem()).toBeUndefined();
    // Neither does another daemon start it.
    const next = fixture.open();
    await expect(next.ensureInstance(instance, never)).rejects.toMatchObject({ reason: "DiskLimitExceeded" });
    expect(await engine.cli("ps", "--format", "{{.Names}}")).not.toContain(instance.uid);
    await next.close();
    stop.abort();
    await watching;
    await removeWhole(fixture, instance.uid);
  });

  test("an image is pulled in the background, with the credentials of its registry", async () => {
    await using fixture = makeFixture();
    const layout = join(folder, "layout");
    await writeImage(engine, image, layout);
    const network = makeNetwork(fixture.subnet());
    const pulled = `${registry.host}/team/web:1`;
    const wrong = { registry: registry.host, username: "robot", password: "wrong-horse-battery" };
    const instance = { ...makeInstance(pulled, network), pullSecrets: [wrong] };
    await fixture.runtime.ensureNetwork(network, never);
    const heard: (string | undefined)[] = [];
    const stop = new AbortController();
    const watching = fixture.runtime.watch((uid) => heard.push(uid), stop.signal);
    expect(await fixture.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Provisioning" });
    await until("the pull has ended", () => heard.includes(instance.uid));
    const failure = await fixture.runtime.ensureInstance(instance, never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ outcome: "refused", reason: "ImagePullFailed" });
    const message = String(failure);
    expect(message).toContain(registry.host);
    expect(message).not.toContain(wrong.password);
    expect(message).not.toContain(Buffer.from(`robot:${wrong.password}`).toString("base64"));

    registry.show(layout);
    const right = { ...wrong, password: registryPassword };
    const states = await reach(fixture, { ...instance, pullSecrets: [right] });
    expect(states.map(({ status }) => status)).toEqual(["Provisioning", "Running"]);
    const before = registry.admitted;
    expect(before).toBeGreaterThan(0);
    stop.abort();
    await watching;

    await using always = makeFixture({ pull: "always" });
    await always.runtime.ensureNetwork({ ...network, uid: randomUUID(), subnets: [always.subnet()] }, never);
    await reach(always, { ...instance, uid: randomUUID(), networks: [], pullSecrets: [right] });
    expect(registry.admitted).toBeGreaterThan(before);
  });

  test("a network of IPv6 alone: it is the same after a restart, and takes no block of the other family", async () => {
    await using fixture = makeFixture();
    const subnet = `fd20:${randomInt(1, 4_096).toString(16)}:2::/64`;
    const network = makeNetwork(subnet);
    await fixture.runtime.ensureNetwork(network, never);
    await fixture.runtime.ensureNetwork(network, never);
    const found = await engine.cli("network", "inspect", networkName(network.uid));
    const subnets = [...found.matchAll(/"subnet": "([^"]*)"/gi)].map(([, each]) => each);
    // Docker gives each network a block of IPv4.
    expect(isDocker ? subnets.filter((each) => each?.includes(":")) : subnets).toEqual([subnet]);
  });

  test("an image that cannot be had or used is refused", async () => {
    await using fixture = makeFixture({ pull: "never" });
    const network = makeNetwork(fixture.subnet());
    const one = (name: string): Promise<unknown> =>
      fixture.runtime.ensureInstance({ ...makeInstance(name, network), networks: [] }, never);
    await expect(one("registry.example/none:1")).rejects.toMatchObject({ reason: "ImageMissing" });
    await expect(one("dir:/etc")).rejects.toMatchObject({ reason: "InvalidSpecification" });
    await engine.image("registry.example/label:1", { labels: ["telemetryd.network.x=1"] });
    await expect(one("registry.example/label:1")).rejects.toMatchObject({ reason: "ImageNotAllowed" });
    await engine.image("registry.example/no-program:1", { program: ["/no-program"] });
    await expect(one("registry.example/no-program:1")).rejects.toMatchObject({
      reason: "StartFailed",
      shown: "the image does not have its command",
    });
  });

  test("a container that ends is repaired, and not started all the time", async () => {
    await using fixture = makeFixture();
    await engine.image("registry.example/ends:1", { command: "exit 3" });
    const network = makeNetwork(fixture.subnet());
    const instance = { ...makeInstance("registry.example/ends:1", network), networks: [] };
    const [, { detail = "" } = {}] = (await reach(fixture, instance, "Repairing")).slice(-2);
    expect(detail || "container main").toContain("container main");
    let state = await fixture.runtime.ensureInstance(instance, never);
    // How often depends on who sees the end first: Podman restarts it three times, too.
    await until("the engine and the provider pause", async () => {
      const before = state;
      await sleep(2_000, never);
      state = await fixture.runtime.ensureInstance(instance, never);
      expect(state.detail).toMatch(/exited with status 3 and was restarted (once|\d+ times)$/);
      return state.detail === before.detail && (state.againMs ?? 0) > 5_000;
    });
  });

  test("processes and memory beyond the limits: refused, and the end of the container", async () => {
    await using fixture = makeFixture();
    // More than a thousand processes need: otherwise, the kernel may end the container first.
    const { instance } = await running(fixture, () => ({ memoryBytes: 2 ** 30 }));
    const many = "i=0; while [ $i -lt 1100 ]; do sleep 60 >/dev/null 2>&1 & i=$((i+1)); done";
    await expect(inside(instance, "main", "sh", "-c", many)).rejects.toThrow(/can't fork/);
    const hungry = "registry.example/hungry:1";
    const other = { ...makeInstance(hungry, makeNetwork(fixture.subnet())), networks: [] };
    const block = 2 * other.memoryBytes;
    const command = `exec /bin/busybox dd if=/dev/zero of=/dev/null count=1 bs=${block}`;
    await engine.image(hungry, { command });
    // Podman does not see the reason with every kernel.
    const end = isDocker ? /was killed: out of memory/ : /was killed: out of memory|exited with status 137/;
    await until("it has ended", async () => {
      const { failure } = await fixture.runtime.ensureInstance(other, never);
      expect(failure?.message).toMatch(end);
      return true;
    });
  });

  test("a paused instance is suspended", async () => {
    await using fixture = makeFixture();
    const { instance } = await running(fixture);
    await engine.cli("pause", `telemetryd-${instance.uid}-main`);
    expect(await fixture.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Suspended" });
    await engine.cli("unpause", `telemetryd-${instance.uid}-main`);
    expect(await fixture.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Running" });
  });

  test("the end of a container that does not want to is not waited for", async () => {
    await using fixture = makeFixture({ graceMs: 2_000 });
    const { instance } = await running(fixture);
    const startMs = performance.now();
    expect(await fixture.runtime.removeInstance(instance.uid, never)).toBe(false);
    expect(performance.now() - startMs).toBeLessThan(1_900);
    await removeWhole(fixture, instance.uid);
    expect(performance.now() - startMs).toBeGreaterThan(1_900);
  });

  test("open ports respond on an external address, one for each name of an instance, also of the next one", async () => {
    await using fixture = makeFixture({ externalAddresses: ["127.0.77.1", "127.0.77.2", "127.0.77.3"] });
    const network = makeNetwork(fixture.subnet());
    await fixture.runtime.ensureNetwork(network, never);
    const opened = (host: number, name = `default/web-${host}`): RuntimeInstance => {
      const instance = { ...makeInstance(image, network), name };
      const address = instance.networks[0]!.address.replace(/10$/, String(host));
      return { ...instance, networks: [{ networkUid: network.uid, address, openPorts }] };
    };
    const openPorts = [{ protocol: "TCP", port: 8080 }] as const;
    const externalOf = async (instance: RuntimeInstance) =>
      (await reach(fixture, instance)).at(-1)?.externalAddresses;
    const first = opened(10);
    expect(await externalOf(first)).toEqual(["127.0.77.1"]);
    expect(await externalOf(opened(11))).toEqual(["127.0.77.2"]);
    await greets("127.0.77.2");
    await removeWhole(fixture, first.uid);
    expect(await externalOf(opened(12))).toEqual(["127.0.77.3"]);
    const next = opened(13, first.name);
    expect(await externalOf(next)).toEqual(["127.0.77.1"]);
    const [main] = next.containers;
    expect(await externalOf({ ...next, containers: [{ ...main!, env: {} }] })).toEqual(["127.0.77.1"]);
    await expect(reach(fixture, opened(14))).rejects.toMatchObject({ reason: "ExternalPortInUse" });
  });

  test("what instances use", async () => {
    await using fixture = makeFixture();
    const { instance } = await running(fixture);
    await greets(instance.networks[0]!.address);
    const [stats, ...others] = await fixture.runtime.stats(never);
    expect(others).toEqual([]);
    expect(stats).toMatchObject({
      uid: instance.uid,
      plane: "acme/site",
      name: "default/web-0",
      restarts: 0,
    });
    for (const key of ["cpuSeconds", "memoryBytes", "networkReceiveBytes", "networkTransmitBytes"] as const) {
      expect(stats?.[key], key).toBeGreaterThan(0);
    }
  });

  test("what others made is left alone", async () => {
    await using fixture = makeFixture();
    await using other = makeFixture();
    const { instance, network } = await running(other);
    await engine.cli("create", "--name", "foreign", image);
    expect(await fixture.runtime.inventory(never)).toEqual({ instances: [], networks: [] });
    expect(await fixture.runtime.removeInstance(instance.uid, never)).toBe(true);
    await fixture.runtime.removeNetwork(network.uid, never);
    expect(await other.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Running" });
    await engine.cli("rm", "foreign");
  });

  test("instances outlive the engine's service, and its events are followed across its end", async () => {
    await using fixture = makeFixture();
    const { instance } = await running(fixture);
    const heard: (string | undefined)[] = [];
    const stop = new AbortController();
    const watching = fixture.runtime.watch((uid) => heard.push(uid), stop.signal);
    await until("it is connected", () => heard.length > 0);
    await engine.kill();
    await expect(fixture.runtime.ensureInstance(instance, never)).rejects.toMatchObject({
      outcome: "unavailable",
      reason: "EngineUnavailable",
      message: `no engine responds at ${engine.socket}: start podman.socket or set provider.engine.socket`,
    });
    await greets(instance.networks[0]!.address);
    const before = heard.length;
    await engine.restart();
    await until("it is connected again", () => heard.slice(before).includes(undefined));
    expect(await fixture.runtime.ensureInstance(instance, never)).toMatchObject({ status: "Running" });
    const pid = await engine.cli("inspect", "--format", "{{.State.Pid}}", `telemetryd-${instance.uid}-main`);
    process.kill(Number(pid), "SIGKILL");
    await until("the change is heard", () => heard.slice(before).includes(instance.uid));
    stop.abort();
    await watching;
  });

  // With Podman, a process of the container restarts it, which ends with the machine: its service starts nothing.
  if (isDocker) {
    test("what ended while the engine did not run is started by the provider only, behind its firewall", async () => {
      await using fixture = makeFixture();
      const { instance } = await running(fixture);
      const name = `telemetryd-${instance.uid}-main`;
      const pid = await engine.cli("inspect", "--format", "{{.State.Pid}}", name);
      await engine.kill();
      process.kill(Number(pid), "SIGKILL");
      await engine.restart();
      await sleep(2_000, never);
      expect(await engine.cli("ps", "--format", "{{.Names}}")).not.toContain(name);
      await reach(fixture, instance);
      await greets(instance.networks[0]!.address);
    });
  }

  test("an engine that is killed while it makes a container makes it when it is back", async () => {
    await using fixture = makeFixture();
    const network = makeNetwork(fixture.subnet());
    const instance = makeInstance(image, network);
    await fixture.runtime.ensureNetwork(network, never);
    // One of these times is when the container has its storage only.
    for (const afterMs of [20, 40, 60, 80, 100, 120]) {
      const runtime = fixture.open(killingClient(createEngineClient(engine.socket), engine.kill, afterMs));
      await expect(runtime.ensureInstance(instance, never)).rejects.toThrow();
      await runtime.close();
      await engine.restart();
      await reach(fixture, instance);
      await removeWhole(fixture, instance.uid);
    }
  });

  // Docker has no storage apart from its list of containers.
  if (!isDocker) {
    test("an engine that was killed while it removed a container finishes that first", async () => {
      await using fixture = makeFixture();
      const { instance } = await running(fixture);
      const name = `telemetryd-${instance.uid}-main`;
      const id = (await engine.cli("inspect", "--format", "{{.Id}}", name)).trim();
      await engine.cli("kill", name);
      await engine.kill();
      await loseStorage(engine, id);
      await engine.restart();
      const client = createEngineClient(engine.socket);
      const listing = client.send("GET", "/containers/json", { query: { all: "true" } }, never);
      await expect(listing).rejects.toThrow(`getting container from store "${id}": container not known`);
      await client.close();
      await reach(fixture, instance);
      await greets(instance.networks[0]!.address);
    });
  }

  test("whatever call a provider dies after, the next one finishes, and nothing is left", async () => {
    const perform = async (fixture: Fixture, runtime: EngineRuntime, work: Work): Promise<void> => {
      const { network, instance } = work;
      if (!work.isMade) {
        await runtime.ensureNetwork(network, never);
        await reach({ ...fixture, runtime }, instance);
        expect(await runtime.inventory(never)).toMatchObject({
          instances: [{ uid: instance.uid }],
          networks: [{ uid: network.uid }],
        });
        work.isMade = true;
      }
      await removeWhole({ ...fixture, runtime }, instance.uid);
      await runtime.removeNetwork(network.uid, never);
    };
    /** @returns whether the fault came before everything was done */
    const dieAfter = async (calls: number): Promise<boolean> => {
      await using fixture = makeFixture();
      const network = makeNetwork(fixture.subnet());
      const mounts = [{ kind: "disk", volume: "data", path: "/data", sizeBytes: 2 ** 30 }] as const;
      const containers = [{ name: "main", image, env: {}, mounts }];
      const work: Work = { network, instance: makeInstance(image, network, { containers }), isMade: false };
      const dying = fixture.open(dyingClient(createEngineClient(engine.socket), calls));
      const isDead = await perform(fixture, dying, work).then(
        () => false,
        (error: unknown) => {
          if (!String(error).includes("died")) throw error;
          return true;
        },
      );
      await dying.close();
      if (isDead) await perform(fixture, fixture.runtime, work);
      expect(await fixture.runtime.inventory(never)).toEqual({ instances: [], networks: [] });
      return isDead;
    };
    let next = 1;
    let isOver = false;
    const worker = async (): Promise<void> => {
      while (!isOver) if (!(await dieAfter(next++))) isOver = true;
    };
    await Promise.all([worker(), worker(), worker()]);
    expect(next).toBeGreaterThan(15);
  });
});

interface Work {
  readonly network: RuntimeNetwork;
  readonly instance: RuntimeInstance;
  /** Whether it was seen running: what follows is the removal. */
  isMade: boolean;
}

/** Does the first half of a removal, of which a killed Podman does not know any more. */
async function loseStorage(engine: RunningEngine, id: string): Promise<void> {
  const path = join(dirname(engine.socket), "graph", "vfs-containers", "containers.json");
  const containers = JSON.parse(await readFile(path, "utf8")) as { readonly id: string }[];
  await writeFile(path, JSON.stringify(containers.filter((container) => container.id !== id)));
}

/** A client whose engine is killed while it makes a container. */
function killingClient(client: EngineClient, kill: () => Promise<void>, afterMs: number): EngineClient {
  return {
    ...client,
    async send(...request) {
      const response = client.send(...request);
      if (request[1] !== "/containers/create") return await response;
      await Promise.all([response.catch(() => undefined), sleep(afterMs, never).then(kill)]);
      throw new Error("the engine was killed");
    },
  };
}

/** A client whose process dies when the engine has done that many calls: no later one is made. */
function dyingClient(client: EngineClient, calls: number): EngineClient {
  let done = 0;
  return {
    ...client,
    async send(...request) {
      if (done >= calls) throw new Error("died");
      const response = await client.send(...request);
      done += 1;
      if (done >= calls) throw new Error("died");
      return response;
    },
  };
}
