import "../support/leak-check.ts";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { Json, KubeObject } from "../../src/kube-server/api/object.ts";
import { changed } from "../support/plane/admission.ts";
import { connectKubectl, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import {
  inDaemonWith,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import {
  isDocker,
  type RunningEngine,
  randomRange,
  requireEngine,
  startEngine,
} from "../support/provider/engine.ts";
import { example } from "../support/provider/workload-cases.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** A platform whose workloads run: one daemon, as users start it, with the real kubectl and Podman. */

const image = "registry.example/web:1";
// A shell passes no signal on: without the trap, the end of each container takes the whole grace period.
const serve = "httpd -f -p 8080 -h /www & trap 'exit 0' TERM; wait";
const externalAddress = "127.0.78.1";
const template = "spec.template.spec";
const container = `${template}.runtime.sandbox.containers[0]`;

const location = example("location.yaml");
const network = changed(example("network.yaml"), "spec.ipam.ipv4Ranges", [randomRange()]);
const withImage = (name: string): KubeObject =>
  changed(
    changed(example("workload.yaml"), `${container}.image`, name),
    `${container}.volumeAttachments[0].mountPath`,
    "/www",
  );
const named = (workload: KubeObject, name: string): KubeObject => changed(workload, "metadata.name", name);
const closed = (workload: KubeObject): KubeObject =>
  changed(workload, `${template}.networkInterfaces[0]`, { network: { name: "default" } });
const workload = withImage(image);
type JsonBlock = { readonly cidr: string; readonly except?: readonly string[] };
const pages = (text: string): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "pages" },
  data: { "index.html": text },
});
const disk = {
  populator: { filesystem: { type: "ext4" } },
  resources: { requests: { storage: "10Gi" } },
};

/** `telemetryd logs`, until Ctrl-C. */
function logsCommand(kubeconfig: string, ...args: readonly string[]) {
  const program = ["--import", "tsx", "src/cli.ts", "logs", "--kubeconfig", kubeconfig, ...args];
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (piece: Buffer) => {
    text += piece.toString();
  });
  return {
    text: () => text,
    async interrupt(): Promise<number | null> {
      child.kill("SIGINT");
      return await new Promise((resolve) => child.once("close", resolve));
    },
  };
}

describe("workloads that run", () => {
  let engine: RunningEngine;
  let platform: TestPlatform;
  let daemon: RunningDaemon;
  let k: Kubectl;
  let kubeconfig: string;

  setUpAll(async ({ keep }) => {
    await requireEngine();
    engine = await keep(startEngine());
    await engine.image(image, { command: serve });
    const host = inDaemonWith({
      engine: {
        socket: engine.socket,
        externalAddresses: [`${externalAddress}-127.0.78.2`],
        // Nothing listens on port 1.
        registries: ["127.0.0.1:1"],
      },
      onStart(started) {
        daemon = started;
      },
    });
    platform = await keep(startTestPlatform({}, silentLogger, host));
    const kubectl = await keep(connectKubectl(platform));
    k = kubectl.project;
    kubeconfig = join(kubectl.folder, "web.json");
    await kubectl.createProject();
  });

  const page = async (address: string): Promise<string> => {
    const response = await fetch(`http://${address}:8080/`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(2_000),
    });
    return (await response.text()).trim();
  };
  const networkIp = (instance: string): Promise<string> =>
    k.ok(
      ...["get", "instance", instance, "-o"],
      "jsonpath={.status.networkInterfaces[0].assignments.networkIP}",
    );
  const names = async (...query: readonly string[]): Promise<string[]> =>
    (await engine.cli(...query)).split("\n").filter((line) => line !== "");
  /** The instances of all containers, however they are, and of those that run. */
  const containers = async () => {
    const name = isDocker ? '{{.Label "telemetryd.name"}}' : '{{index .Labels "telemetryd.name"}}';
    const format = ["--format", name];
    const [all, running] = await Promise.all([names("ps", "--all", ...format), names("ps", ...format)]);
    return { all: all.toSorted(), running: running.toSorted() };
  };
  const allRun = (...instances: readonly string[]) => ({ all: instances, running: instances });
  const readiness = async (): Promise<string> => (await fetch(`${daemon.opsUrl}/readyz`)).text();
  let address: string;

  test("from an empty project to a web server that responds", async () => {
    const startMs = performance.now();
    await k.file(listOf(pages("hello"), location, network, workload), "apply");
    await until("it answers at the instance's address", async () => {
      address ||= await networkIp("web-us-dfw-0");
      return (await page(address)) === "hello";
    });
    const tookMs = performance.now() - startMs;
    process.stderr.write(`a workload answered after ${Math.round(tookMs)} ms\n`);
    expect(tookMs).toBeLessThan(60_000);
    await k.ok("wait", "--for=condition=Available", "workload/web", "--timeout=30s");
    expect(await page(externalAddress)).toBe("hello");
  });

  test("what kubectl shows", async () => {
    const [instances, workloads, locations, described] = await Promise.all([
      k.ok("get", "instances", "--no-headers"),
      k.ok("get", "workloads", "--no-headers"),
      k.ok("get", "locations.networking.platformapis", "--no-headers"),
      k.ok("describe", "workload", "web"),
    ]);
    expect(instances).toMatch(
      new RegExp(`^web-us-dfw-0 +\\S+ +True +InstanceIsRunning +${address} +${externalAddress}\n$`),
    );
    expect(workloads).toMatch(/^web +\S+ +True +AvailablePlacementFound\n$/);
    expect(locations).toMatch(/^dfw +platform-managed +DFW +\S+ +True +Ready\n$/);
    expect(described).toMatch(/Events:\n +Type +Reason +Age +From +Message\n/);
  });

  test("an edit of the ConfigMap shows in the file", async () => {
    await k.file(pages("edited"), "apply");
    await until("the new page is served", async () => (await page(address)) === "edited");
    expect(await containers()).toEqual(allRun("default/web-us-dfw-0"));
  });

  test.each([
    // A short name is of the first registry.
    ["none:1", "ImagePullFailed", "127.0.0.1:1/none:1 could not be pulled"],
    ["localhost:1/none:1", "ImageNotAllowed", "localhost:1/none:1 is not of a registry that this location"],
  ])("an image that cannot be had, %s: %s, without the engine's words", async (name, why, words) => {
    await k.file(named(closed(withImage(name)), "none"), "apply");
    await until("the instance says so", async () => {
      const wide = await k.ok(
        ...["get", "instance", "none-us-dfw-0", "-o"],
        'jsonpath={.status.conditions[?(@.type=="Available")]}',
      );
      const { status, reason, message } = JSON.parse(wide);
      return status === "False" && reason === why && message.startsWith(words) && !/refused/.test(message);
    });
    await until("the workload says why, too", async () =>
      new RegExp(`^none .* False +${why}\n$`).test(await k.ok("get", "workload", "none", "--no-headers")),
    );
    const described = await k.ok("describe", "instance", "none-us-dfw-0");
    expect(described).toMatch(new RegExp(`Warning +${why} .*telemetryd-provider .*${words}`));
    await k.ok("delete", "workload", "none", "--timeout=30s");
  });

  test("killed in the middle and started again: nothing twice, nothing left over", async () => {
    const twice = changed(closed(named(workload, "second")), "spec.placements[0].scaleSettings", {
      minReplicas: 2,
    });
    const second = changed(
      changed(twice, `${container}.volumeAttachments[1]`, { name: "data", mountPath: "/tmp" }),
      `${template}.volumes[1]`,
      { name: "data", disk: { template: { spec: disk } } },
    );
    await k.file(second, "apply");
    await until("the first container is made", async () => (await containers()).all.length > 1);
    await daemon.child.kill();
    expect(await page(address)).toBe("edited");
    await platform.restart();
    await k.ok("wait", "--for=condition=Available", "workload/second", "--timeout=120s");
    const both = ["default/second-us-dfw-0", "default/second-us-dfw-1"];
    await until("both run", async () => (await containers()).running.length === 3);
    expect(await containers()).toEqual(allRun(...both, "default/web-us-dfw-0"));
    expect(await names("network", "ls", "--quiet", "--filter", "label=telemetryd.network")).toHaveLength(1);
    expect(await names("volume", "ls", "--quiet")).toHaveLength(2);
    await k.ok("delete", "workload", "second", "--timeout=120s");
    expect(await containers()).toEqual(allRun("default/web-us-dfw-0"));
  });

  test("the engine stops and starts: it is found again", async () => {
    await engine.kill();
    await k.file(pages("after"), "apply");
    await until("the daemon says so", async () =>
      (await readiness()).includes(
        `the provider's runtime does not respond: no engine responds at ${engine.socket}`,
      ),
    );
    expect(await page(address)).toBe("edited");
    await engine.restart();
    await until("the new page is served", async () => (await page(address)) === "after");
    await until("the daemon is well", async () => !(await readiness()).includes("runtime"));
  });

  test("a rule for some addresses is enforced, and edited without a restart", async () => {
    const block = `${template}.networkInterfaces[0].networkPolicy.ingress[0].from[0].ipBlock`;
    const ranged = changed(named(workload, "ranged"), block, { cidr: "192.0.2.0/24" });
    await k.file(
      changed(ranged, `${template}.networkInterfaces[0].networkPolicy.ingress[0].ports`, [
        { protocol: "TCP", port: 8080 },
        { protocol: "TCP", port: 8090, endPort: 8099 },
      ]),
      "apply",
    );
    await k.ok("wait", "--for=condition=Available", "workload/ranged", "--timeout=120s");
    const own = await networkIp("ranged-us-dfw-0");
    const [web = ""] = await names("ps", "--quiet", "--filter", "label=telemetryd.name=default/web-us-dfw-0");
    const ask = ["sh", "-c", `echo "GET / HTTP/1.0" | nc -w 1 ${own} 8080 | grep ^HTTP || true`];
    const isReached = async (): Promise<boolean> =>
      await engine.cli("exec", web, ...ask).then(
        (text) => text.trim() !== "",
        () => false,
      );
    const started = async () => {
      const ids = await names("ps", "--quiet", "--filter", "label=telemetryd.instance");
      return names("inspect", "--format", "{{.Id}} {{.State.StartedAt}}", ...ids);
    };
    const before = await started();
    expect(await isReached()).toBe(false);
    const edits: [JsonBlock, boolean][] = [
      [{ cidr: `${address}/32` }, true],
      [{ cidr: "10.0.0.0/8", except: [`${address}/32`] }, false],
      [{ cidr: "0.0.0.0/0" }, true],
    ];
    for (const [ipBlock, expected] of edits) {
      const patch = [
        {
          op: "replace",
          path: `/${block.replaceAll(/\[(\d+)\]/g, "/$1").replaceAll(".", "/")}`,
          value: ipBlock,
        },
      ];
      await k.ok("patch", "workload", "ranged", "--type=json", "--patch", JSON.stringify(patch));
      const sinceMs = performance.now();
      await until(`it is ${expected ? "open" : "closed"}`, async () => (await isReached()) === expected);
      process.stderr.write(
        `an edited rule took effect after ${Math.round(performance.now() - sinceMs)} ms\n`,
      );
    }
    expect(await started()).toEqual(before);
    expect(await k.ok("describe", "workloaddeployment", "ranged-us-dfw")).not.toContain(
      "NetworkPolicyNotEnforced",
    );
    await k.ok("delete", "workload", "ranged", "--timeout=120s");
  });

  /** The message of an instance's condition, behind its status. */
  const state = (instance: string): Promise<string> =>
    k.ok(
      ...["get", "instance", instance, "-o"],
      'jsonpath={.status.conditions[?(@.type=="Available")].status} {.status.conditions[0].message}',
    );

  test("probes: available when the readiness probe succeeds, restarted when the liveness probe fails", async () => {
    // It repairs what it finds: a container that is ended time and again is started less and less often.
    const exec = { command: ["sh", "-c", "! /bin/busybox rm /tmp/broken 2>/dev/null"] };
    const probes = {
      readinessProbe: { httpGet: { path: "/ready", port: "http" }, periodSeconds: 1 },
      livenessProbe: { exec, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 30 },
    };
    let probed = closed(named(workload, "probed"));
    for (const [name, value] of Object.entries(probes))
      probed = changed(probed, `${container}.${name}`, value);
    await k.file(probed, "apply");
    await until("it is not ready", async () =>
      /^False .*STAGING: container web is not ready: its readiness probe failed: HTTP status 404/.test(
        await state("probed-us-dfw-0"),
      ),
    );
    await k.file({ ...(pages("after") as object), data: { "index.html": "after", ready: "" } }, "apply");
    await k.ok("wait", "--for=condition=Available", "workload/probed", "--timeout=120s");
    const [id = ""] = await names(
      ...["ps", "--quiet", "--filter", "label=telemetryd.name=default/probed-us-dfw-0"],
    );
    await engine.cli("exec", id, "touch", "/tmp/broken");
    await until("it is restarted", async () =>
      /its liveness probe failed: the command exited with status 1/.test(await state("probed-us-dfw-0")),
    );
    const available = k.ok("wait", "--for=condition=Available", "instance/probed-us-dfw-0", "--timeout=120s");
    await available.catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await k.ok("describe", "instance", "probed-us-dfw-0")}`);
    });
    await k.ok("delete", "workload", "probed", "--timeout=120s");
  });

  // It takes a minute, and is about the controllers: another engine adds nothing.
  if (!isDocker) {
    test("a release that ends after its start replaces one instance only, and the next one all", async () => {
      const crashing = "registry.example/crash:1";
      await engine.image(crashing, { command: "sleep 3; exit 1" });
      const release = changed(closed(named(workload, "release")), "spec.placements[0].scaleSettings", {
        minReplicas: 2,
      });
      const available = async (): Promise<string> =>
        k.ok(
          ...["get", "workloaddeployment", "release-us-dfw", "-o"],
          "jsonpath={.status.readyReplicas} {.status.currentReplicas}",
        );
      await k.file(release, "apply");
      await until("both are available", async () => (await available()) === "2 2");
      await k.file(changed(release, `${container}.image`, crashing), "apply");
      await until("the first one has ended", async () =>
        /exited with status 1/.test(await state("release-us-dfw-1")),
      );
      await until("an event says so", async () =>
        /Warning +(ContainerEnded|BackOff) .*container web exited with status 1/.test(
          await k.ok("describe", "instance", "release-us-dfw-1"),
        ),
      );
      await until("its restarts are counted while it does not run", async () => {
        const metrics = await (await fetch(`${daemon.opsUrl}/metrics`)).text();
        return /^platform_instance_restarts_total\{[^}]*"release-us-dfw-1"[^}]*\} [1-9]/m.test(metrics);
      });
      for (let second = 0; second < 15; second++) {
        expect(await available()).toBe("1 1");
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      await k.file(changed(release, `${container}.env`, [{ name: "A", value: "b" }]), "apply");
      await until("all are available again", async () => (await available()) === "2 2");
      await k.ok("delete", "workload", "release", "--timeout=120s");
    });
  }

  test("logs: by kubectl and by the command, with what both may ask for", async () => {
    const talking = "registry.example/talk:1";
    const command = "i=0; trap 'exit 0' TERM; while :; do echo line $i; i=$((i+1)); sleep 0.5; done";
    await engine.image(talking, { command });
    await k.file(changed(closed(named(workload, "talk")), `${container}.image`, talking), "apply");
    const path = `${projectBase("web")}/apis/compute.platformapis/v1alpha/namespaces/default/instances`;
    const log = (query: string) => k.run(["get", "--raw", `${path}/talk-us-dfw-0/log?${query}`]);
    await until("there are lines", async () => /^(line \d+\n){3}$/.test((await log("tailLines=3")).out));
    expect((await log("limitBytes=7")).out).toBe("line 0\n");
    expect((await log("container=web&tailLines=1&timestamps=true")).out).toMatch(/^20\S+Z? line \d+\n$/);
    const since = (await log("sinceSeconds=2")).out.split("\n").length;
    expect(since).toBeLessThan(10);
    expect((await log("container=db")).err).toContain("container db is not valid for talk-us-dfw-0");
    expect((await log("container=db")).err).toContain("choose one of: [web]");
    expect((await log("previous=true")).err).toContain("leave previous out");
    const followed = logsCommand(kubeconfig, "talk-us-dfw-0", "--follow", "--tail", "1");
    await until("it follows", () => followed.text().split("\n").length > 5);
    const lines = followed.text().trim().split("\n");
    const first = Number(lines[0]?.slice("line ".length));
    expect(lines).toEqual(lines.map((_, index) => `line ${first + index}`));
    expect(await followed.interrupt()).toBe(0);
    await k.ok("delete", "workload", "talk", "--timeout=60s");
    expect((await log("")).err).toContain('"talk-us-dfw-0" not found');
  });

  test("delete: nothing is left", async () => {
    await k.ok("delete", "workload", "web", "--timeout=120s");
    await k.ok("delete", "network", "default", "--timeout=120s");
    await k.ok("delete", "locations.networking.platformapis", "dfw", "--timeout=120s");
    expect(await containers()).toEqual(allRun());
    expect(await names("network", "ls", "--quiet", "--filter", "label=telemetryd.network")).toEqual([]);
    expect(await names("volume", "ls", "--quiet")).toEqual([]);
  });
});
