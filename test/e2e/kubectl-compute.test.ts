import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import type { Json, KubeObject } from "../../src/kube-server/api/object.ts";
import { changed } from "../support/plane/admission.ts";
import { kubectlBinary, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { startComputePlatform } from "../support/provider/emulated-provider.ts";
import { example, virtualMachine, workloadCases } from "../support/provider/workload-cases.ts";
import { setUpAll } from "../support/set-up.ts";

/** The compute and networking kinds, through the real kubectl. */

const location = example("location.yaml");
const network = example("network.yaml");
const workload = example("workload.yaml");
let k: Kubectl;

setUpAll(async (setUp) => {
  ({ project: k } = await startComputePlatform(setUp));
});

const inGroup = (group: string, kind: string, name: string, spec: Json) => ({
  apiVersion: `${group}.platformapis/v1alpha`,
  kind,
  metadata: { name },
  spec,
});
const pages = {
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "pages" } },
  data: { "index.html": "hello" },
};
const policy = inGroup("networking", "NetworkPolicy", "p", {});

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  test("a workload without its location is refused", async () => {
    const { code, err } = await k.run(["create", "--dry-run=server", "-f", "-"], {
      input: JSON.stringify(workload),
    });
    expect([code, err]).toEqual([
      1,
      'The Workload "web" is invalid: spec.placements[0].cityCodes[0]: Unsupported value: "DFW"\n',
    ]);
  });

  test("apply, and wait until it runs", async () => {
    const created = await k.file(listOf(location, network, pages, policy, workload), "apply");
    expect(created).toBe(
      [
        "location.networking.platformapis/dfw created",
        "network.networking.platformapis/default created",
        "configmap/pages created",
        "networkpolicy.networking.platformapis/p created",
        "workload.compute.platformapis/web created\n",
      ].join("\n"),
    );
    await k.ok("wait", "--for=condition=Available", "workload/web", "--timeout=30s");
    const again = await k.file(listOf(location, network, pages, policy, workload), "apply");
    expect(again).not.toMatch(/created|configured/);
  });

  test.each<[resource: string, columns: string, row: RegExp]>([
    [
      "locations.networking.platformapis",
      "NAME CLASS CITY AGE READY REASON",
      /^dfw +platform-managed +DFW +\d+s +True +Emulated/,
    ],
    [
      "locations.compute.platformapis",
      "NAME CLASS CITY AGE READY REASON",
      /^dfw +platform-managed +DFW +\d+s +True +Emulated/,
    ],
    [
      "networks",
      "NAME AGE READY REASON IPAM IPFAMILIES MTU",
      /^default +\d+s +True +Ready +Auto +\["IPv4"\] +1460/,
    ],
    ["networkbindings", "NAME AGE READY REASON", /^web-us-dfw-net-0 +\d+s +True +NetworkContextReady/],
    ["networkcontexts", "NAME AGE READY REASON", /^default-default-dfw +\d+s +True +Ready/],
    ["networkpolicies.networking.platformapis", "NAME AGE", /^p +\d+s/],
    ["subnetclaims", "NAME AGE READY REASON", /^default-default-dfw-0 +\d+s +True +SubnetReady/],
    [
      "subnets",
      "NAME AGE READY REASON START_ADDRESS PREFIX_LENGTH",
      /^default-default-dfw-0 +\d+s +True +Ready +10\.128\.0\.0 +20/,
    ],
    ["workloads", "NAME AGE AVAILABLE REASON", /^web +\d+s +True +AvailablePlacementFound/],
    [
      "workloaddeployments",
      "NAME AGE LOCATION_NAMESPACE LOCATION_NAME AVAILABLE REASON",
      /^web-us-dfw +\d+s +default +dfw +True +StableInstanceFound/,
    ],
    [
      "instances",
      "NAME AGE AVAILABLE REASON NETWORK_IP EXTERNAL_IP",
      /^web-us-dfw-0 +\d+s +True +InstanceIsRunning +10\.128\.0\.2 +198\.1[89]\./,
    ],
  ])("get %s, explain", async (resource, columns, expected) => {
    const [wide, explained] = await Promise.all([
      k.ok("get", resource, "-o", "wide"),
      k.ok("explain", resource, "--recursive"),
    ]);
    const [header = "", row = ""] = wide.split("\n");
    expect(header.trim().replaceAll(/ {2,}/g, ",").replaceAll(" ", "_").replaceAll(",", " ")).toBe(columns);
    expect(row).toMatch(expected);
    expect(explained).toMatch(/\n {2}spec\t<Object>/);
  });

  test("describe, diff and three types of patch", async () => {
    const described = await k.ok("describe", "workload", "web");
    expect(described).toMatch(/At least one available placement was found/);
    expect(described).toMatch(/Normal +DeploymentCreated .*Created deployment web-us-dfw/);
    const larger = changed(workload, "spec.placements[0].scaleSettings.minReplicas", 2);
    const diff = await k.run(["diff", "-f", "-"], { input: JSON.stringify(larger) });
    expect([diff.code, diff.out]).toEqual([
      1,
      expect.stringMatching(/- +minReplicas: 1\n\+ +minReplicas: 2/),
    ]);
    expect(await k.file(larger, "apply", "--dry-run=server")).toMatch(/configured \(server dry run\)/);
    const merge = { spec: { mtu: 1400 } };
    await k.ok("patch", "network", "default", "--type=merge", "-p", JSON.stringify(merge));
    const operations = [{ op: "replace", path: "/spec/mtu", value: 1500 }];
    await k.ok("patch", "network", "default", "--type=json", "-p", JSON.stringify(operations));
    const strategic = await k.run(["patch", "network", "default", "--type=strategic", "-p", "{}"]);
    expect([strategic.code, strategic.err]).toEqual([
      1,
      expect.stringContaining("strategic-merge-patch+json is not supported"),
    ]);
    expect(await k.ok("get", "network", "default", "-o", "jsonpath={.spec.mtu} {.metadata.generation}")).toBe(
      "1500 3",
    );
    const ipam = await k.run([
      ...["patch", "network", "default", "--type=merge", "-p"],
      '{"spec":{"ipam":{"ipv4Ranges":["10.0.0.0/8"]}}}',
    ]);
    expect(ipam.err).toMatch(/spec\.ipam: Invalid value: .*immutable while the network has NetworkContexts/);
  });

  test("one location under two groups", async () => {
    const read = (group: string) =>
      k.ok("get", `locations.${group}.platformapis`, "dfw", "-o", "jsonpath={.apiVersion} {.metadata.uid}");
    const [networking, compute] = await Promise.all([read("networking"), read("compute")]);
    expect(networking.split(" ")[0]).toBe("networking.platformapis/v1alpha");
    expect(compute).toBe(networking.replace("networking", "compute"));
  });

  test("wrong manifests, with the message of each rule", async () => {
    const bases: Record<string, KubeObject> = { sandbox: workload, machine: virtualMachine(workload) };
    const wrong = workloadCases.map(([, base, changes], index) => {
      let object = changed(bases[base] ?? workload, "metadata.name", `w${index}`);
      for (const [path, value] of Object.entries(changes)) object = changed(object, path, value);
      return object;
    });
    const { out, err } = await k.run(["create", "--dry-run=server", "--validate=false", "-f", "-"], {
      input: JSON.stringify(listOf(...wrong)),
    });
    for (const [index, [what, , , faults]] of workloadCases.entries()) {
      const name = `w${index}`;
      if (faults.length === 0) {
        expect(out, what).toContain(`workload.compute.platformapis/${name} created (server dry run)`);
        continue;
      }
      const prefix = `The Workload "${name}" is invalid: `;
      const lines = err.split(/(?=The Workload ")/).find((part) => part.startsWith(prefix)) ?? err;
      for (const fault of faults) expect(lines, what).toContain(fault);
    }
  });

  test("delete returns when everything that the workload made is gone", async () => {
    await k.ok("delete", "workload", "web", "--timeout=30s");
    expect(await k.ok("get", "workloaddeployments,instances")).toBe("");
    await k.ok("delete", "network", "default", "--timeout=30s");
    expect(await k.ok("get", "networkcontexts,subnetclaims,subnets")).toBe("");
  });
});
