import "../support/leak-check.ts";
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { writeRunner } from "../../scripts/servers/runner-tree.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { Json } from "../../src/kube-server/api/object.ts";
import { changed } from "../support/plane/admission.ts";
import { connectKubectl, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { inDaemonWith, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import {
  isDocker,
  type RunningEngine,
  randomRange,
  requireEngine,
  startEngine,
} from "../support/provider/engine.ts";
import { makeGuest } from "../support/provider/guest.ts";
import { example } from "../support/provider/workload-cases.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** A platform whose workloads are virtual machines: from a manifest to a login by SSH, with the real kubectl. */

const run = promisify(execFile);
const runnerImage = "localhost/vm-runner:1";
const location = example("location.yaml");
const network = changed(example("network.yaml"), "spec.ipam.ipv4Ranges", [randomRange()]);
const pages: Json = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "pages" },
  data: { "index.html": "hello" },
};
const disk = (populator: Json, storage: string) => ({
  template: { spec: { populator, resources: { requests: { storage } } } },
});

function workload(name: string, key: string, image: string): Json {
  return {
    apiVersion: "compute.platformapis/v1alpha",
    kind: "Workload",
    metadata: { name },
    spec: {
      template: {
        metadata: { annotations: { "compute.platformapis/ssh-keys": `root:${key}` } },
        spec: {
          runtime: {
            resources: { instanceType: "platformcloud/d1-standard-2" },
            virtualMachine: {
              volumeAttachments: [
                { name: "boot" },
                { name: "data", mountPath: "/data" },
                { name: "more", mountPath: "/pages/more" },
                { name: "pages", mountPath: "/pages" },
              ],
            },
          },
          networkInterfaces: [{ network: { name: "default" } }],
          volumes: [
            { name: "boot", disk: disk({ image: { name: image } }, "25Gi") },
            { name: "data", disk: disk({ filesystem: { type: "ext4" } }, "10Gi") },
            { name: "more", configMap: { name: "pages" } },
            { name: "pages", configMap: { name: "pages" } },
          ],
        },
      },
      placements: [{ name: "us", cityCodes: ["DFW"], scaleSettings: { minReplicas: 1 } }],
    },
  };
}

describe("virtual machines", () => {
  let engine: RunningEngine;
  let platform: TestPlatform;
  let daemon: RunningDaemon;
  let k: Kubectl;
  let folder: string;
  let publicKey: string;

  setUpAll(async ({ keep, newFolder }) => {
    folder = await newFolder("machines");
    await requireEngine();
    // Docker's own profile refuses passt its user namespace.
    engine = await keep(startEngine({ seccompProfile: "/usr/share/containers/seccomp.json" }));
    await Promise.all([
      writeRunner(join(folder, "runner.tar")),
      makeGuest(join(folder, "guest.img"), join(folder, "uefi.img")),
      run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", join(folder, "key")]),
    ]);
    publicKey = (await readFile(join(folder, "key.pub"), "utf8")).trim();
    await engine.cli("import", join(folder, "runner.tar"), runnerImage);
    const host = inDaemonWith({
      engine: {
        socket: engine.socket,
        vmRunnerImage: runnerImage,
        vmImages: { small: join(folder, "guest.img"), uefi: join(folder, "uefi.img") },
      },
      onStart(started) {
        daemon = started;
      },
    });
    platform = await keep(startTestPlatform({}, silentLogger, host));
    const kubectl = await keep(connectKubectl(platform));
    k = kubectl.project;
    await kubectl.createProject();
    // The runner and the guest are made, beside the daemon.
  }, 180_000);

  const available = (instance: string): Promise<string> =>
    k.ok(
      ...["get", "instance", instance, "-o"],
      'jsonpath={.status.conditions[?(@.type=="Available")].status} {.status.conditions[0].message}',
    );
  const networkIp = (): Promise<string> =>
    k.ok(
      ...["get", "instance", "vm-us-dfw-0", "-o"],
      "jsonpath={.status.networkInterfaces[0].assignments.networkIP}",
    );
  /** Runs a command in the guest. */
  const ssh = async (command: string, known?: string): Promise<string> => {
    const address = known ?? (await networkIp());
    const noFile = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"];
    const options = ["-F", "none", "-o", "BatchMode=yes", "-o", "ConnectTimeout=5", ...noFile];
    const login = ["-i", join(folder, "key"), `root@${address}`, command];
    const { stdout } = await run("ssh", [...options, ...login], { timeout: 30_000 });
    return stdout.trim();
  };
  /** Waits until somebody may log in. */
  const login = async (command: string, known?: string): Promise<string> => {
    let text = "";
    await until("a login by SSH", async () => {
      text = await ssh(command, known);
      return text !== "";
    });
    return text;
  };
  const list = async (...query: readonly string[]): Promise<string[]> =>
    (await engine.cli(...query)).split("\n").filter((line) => line !== "");
  /** Pids on the machine, with their commands. */
  const processes = async (): Promise<string> => {
    const [id = ""] = await list("ps", "--quiet");
    return await engine.cli("top", id, ...(isDocker ? ["-eo", "pid,args"] : ["hpid", "args"]));
  };

  test("from a manifest to a login at the instance's own address", async () => {
    const startMs = performance.now();
    await k.file(listOf(pages, location, network, workload("vm", publicKey, "small")), "apply");
    const seen = await login(
      "hostname; ip addr show eth0; cat /pages/more/index.html /pages/index.html; echo kept >/data/file; sync",
    );
    process.stderr.write(`a login after ${Math.round(performance.now() - startMs)} ms\n`);
    const address = await networkIp();
    expect(seen).toMatch(/^vm-us-dfw-0\n/);
    expect(seen).toContain(`inet ${address}/`);
    expect(seen).toMatch(/\nhellohello$/);
    await k.ok("wait", "--for=condition=Available", "workload/vm", "--timeout=60s");
    expect(await ssh("head -c 10 /proc/meminfo; cat /sys/block/vda/size")).toContain(
      String((25 * 2 ** 30) / 512),
    );
  });

  test("what emulates is said", async () => {
    expect(await available("vm-us-dfw-0")).toMatch(/^True Instance status is RUNNING/);
    const isEmulated = (await processes()).includes("-accel tcg");
    const message = await k.ok(
      ...["get", "locations.networking.platformapis", "dfw", "-o"],
      "jsonpath={.status.conditions[0].message}",
    );
    const notes = ["emulated, since the location has no KVM", "virtual machines are emulated"];
    const texts = [await available("vm-us-dfw-0"), message];
    expect(texts.map((text, index) => text.includes(notes[index] ?? ""))).toEqual([isEmulated, isEmulated]);
  });

  test("QEMU is killed: the machine starts again, with its disks", async () => {
    const before = await ssh("cat /proc/sys/kernel/random/boot_id");
    const pid = Number(/(\d+)\s+qemu/.exec(await processes())?.[1]);
    process.kill(pid, "SIGKILL");
    // With Docker, the provider starts it at once, and no look may be between.
    const states = isDocker ? /^False .*(REPAIRING|STAGING)/ : /^False .*REPAIRING/;
    await until("it is repaired", async () => states.test(await available("vm-us-dfw-0")));
    const after = await login("cat /proc/sys/kernel/random/boot_id /data/file");
    expect(after).toMatch(/\nkept$/);
    expect(after).not.toContain(before);
    await k.ok("wait", "--for=condition=Available", "instance/vm-us-dfw-0", "--timeout=60s");
  });

  test("several networks, one of IPv6, and an image for UEFI: the guest has the instance's addresses", async () => {
    const ipam = { mode: "Auto", ipv6Ranges: [`fd20:${randomInt(1, 4_096).toString(16)}:1::/56`] };
    const metadata = { name: "second" };
    const second = { ...(network as object), metadata, spec: { ipFamilies: ["IPv6"], ipam } };
    const networks = ["second", "default"].map((name) => ({ network: { name } }));
    const both = changed(
      workload("both", publicKey, "uefi"),
      "spec.template.spec.networkInterfaces",
      networks,
    );
    await k.file(listOf(second, both), "apply");
    await k.ok("wait", "--for=condition=Available", "workload/both", "--timeout=90s");
    const path = "jsonpath={.status.networkInterfaces[*].assignments.networkIP}";
    const addresses = (await k.ok("get", "instance", "both-us-dfw-0", "-o", path)).split(" ");
    expect(addresses.map(isIP)).toEqual([6, 4]);
    for (const address of addresses) {
      const seen = await login("hostname; ip addr show eth0; ip addr show eth1", address);
      expect(seen).toMatch(/^both-us-dfw-0\n/);
      const [first = "", other = ""] = seen.split(/^\d+: eth1/m);
      expect(first).toContain(`inet6 ${addresses[0]}/`);
      expect(other).toContain(`inet ${addresses[1]}/`);
    }
    expect(await ssh("ls /sys/firmware", addresses[0])).toContain("efi\n");
    await k.ok("delete", "workload", "both", "--timeout=90s");
    await k.ok("delete", "network", "second", "--timeout=90s");
  });

  test("the daemon and the engine are killed: the machine runs on, and is theirs again", async () => {
    const address = await networkIp();
    const boot = () => ssh("cat /proc/sys/kernel/random/boot_id", address);
    const before = await boot();
    const unready = "the provider's runtime does not respond";
    await daemon.child.kill();
    await engine.kill();
    expect(await boot()).toBe(before);
    await platform.restart();
    const readiness = async () => await (await fetch(`${daemon.opsUrl}/readyz`)).text();
    await until("the daemon has no engine", async () => (await readiness()).includes(unready));
    expect(await boot()).toBe(before);
    await engine.restart();
    await until("the daemon has it again", async () => !(await readiness()).includes(unready));
    await k.ok("wait", "--for=condition=Available", "instance/vm-us-dfw-0", "--timeout=60s");
    expect(await networkIp()).toBe(address);
    expect(await boot()).toBe(before);
    expect(await list("ps", "--all", "--quiet")).toHaveLength(1);
  });

  test("an edited template makes another machine, once this one has shut down", async () => {
    await k.file(workload("vm", publicKey, "large"), "apply");
    const words = 'the location has no image "large" for disks; it has: small, uefi';
    await until("it says so", async () => (await available("vm-us-dfw-0")) === `False ${words}`);
    expect(await list("ps", "--all", "--quiet")).toEqual([]);
    expect(await list("volume", "ls", "--quiet")).toEqual([]);
    await k.file(workload("vm", publicKey, "small"), "apply");
    expect(await login("ls /data")).toBe("lost+found");
  });

  test("delete: nothing is left", async () => {
    await k.ok("delete", "workload", "vm", "--timeout=90s");
    await k.ok("delete", "network", "default", "--timeout=90s");
    expect(await list("ps", "--all", "--quiet")).toEqual([]);
    expect(await list("volume", "ls", "--quiet")).toEqual([]);
    expect(await list("network", "ls", "--quiet", "--filter", "label=telemetryd.network")).toEqual([]);
  });
});
