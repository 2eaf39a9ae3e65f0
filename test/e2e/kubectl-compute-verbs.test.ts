import "../support/leak-check.ts";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/kube-server/api/object.ts";
import { type ConnectedKubectl, kubectlBinary, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { startComputePlatform } from "../support/provider/emulated-provider.ts";
import { example } from "../support/provider/workload-cases.ts";
import { setUpAll } from "../support/set-up.ts";

/** Every verb of kubectl that changes or follows objects, on each of the compute and networking kinds. */

let kubectl: ConnectedKubectl;
let k: Kubectl;

setUpAll(async (setUp) => {
  kubectl = await startComputePlatform(setUp);
  k = kubectl.project;
});

const policy = {
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "NetworkPolicy", metadata: { name: "p" } },
  spec: {},
};
const pages = {
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "pages" } },
  data: { "index.html": "hello" },
};
const workload = example("workload.yaml");

/** Of each kind: the object that one workload brings, how it ends, a nested field with its type. */
const kinds: readonly [resource: string, name: string, row: string, field: string, type: string][] = [
  ["locations.networking.platformapis", "dfw", "True +Emulated", "spec.provider.cloudA.zone", "<string>"],
  ["networks", "default", "True +Ready", "spec.ipam.ipv4Ranges", "<\\[\\]string>"],
  [
    "networkbindings",
    "web-us-dfw-net-0",
    "True +NetworkContextReady",
    "status.networkContextRef.name",
    "<string>",
  ],
  ["networkcontexts", "default-default-dfw", "True +Ready", "spec.location.namespace", "<string>"],
  ["networkpolicies", "p", "\\d+s", "metadata.ownerReferences.controller", "<boolean>"],
  ["subnetclaims", "default-default-dfw-0", "True +SubnetReady", "status.subnetRef.name", "<string>"],
  ["subnets", "default-default-dfw-0", "True +Ready", "spec.networkContext.name", "<string>"],
  [
    "workloads",
    "web",
    "True +AvailablePlacementFound",
    "spec.template.spec.runtime.sandbox.containers.env.valueFrom.secretKeyRef.key",
    "<string>",
  ],
  [
    "workloaddeployments",
    "web-us-dfw",
    "True +StableInstanceFound",
    "spec.template.spec.networkInterfaces.networkPolicy.ingress.from.ipBlock.except",
    "<\\[\\]string>",
  ],
  [
    "instances",
    "web-us-dfw-0",
    "True +InstanceIsRunning",
    "status.networkInterfaces.assignments.networkIP",
    "<string>",
  ],
];
const conditionOf = (resource: string): string =>
  /^(?:workloads|workloaddeployments|instances)$/.test(resource) ? "Available" : "Ready";
const field = (resource: string, name: string, path: string): Promise<string> =>
  k.ok("get", resource, name, "-o", `jsonpath={.${path}}`);
const replicas = "spec.placements[0].scaleSettings.minReplicas";

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  test("get --watch of each kind shows how its object comes about", async () => {
    await k.file(pages, "apply");
    const watches = kinds.map(([resource]) => k.start("get", resource, "--watch"));
    // The watches' first answer is not seen: what is there already is shown as well.
    await k.file(listOf(example("location.yaml"), example("network.yaml"), policy, workload), "apply");
    for (const [index, [, name]] of kinds.entries()) await watches[index]?.sees(`${name} `);
    await k.ok("wait", "--for=condition=Available", "workload/web", "--timeout=60s");
    for (const [index, [resource, name, row]] of kinds.entries()) {
      const end = new RegExp(`^${name} +.*${row}`);
      await watches[index]?.shows(end);
      expect(watches[index]?.lines()[0], resource).toMatch(/^NAME +/);
    }
    await Promise.all(watches.map((watch) => watch.stop()));
  });

  test("wait for the condition of each kind", async () => {
    for (const condition of ["Ready", "Available"]) {
      const objects = kinds.flatMap(([resource, name]) =>
        conditionOf(resource) === condition && resource !== "networkpolicies" ? [`${resource}/${name}`] : [],
      );
      const waited = await k.ok("wait", `--for=condition=${condition}`, ...objects, "--timeout=60s");
      expect(waited.match(/ condition met$/gm)).toHaveLength(objects.length);
    }
    const never = await k.run(["wait", "--for=condition=Ready", "networkpolicy/p", "--timeout=1s"]);
    expect([never.code, never.err]).toEqual([
      1,
      "error: timed out waiting for the condition on networkpolicies/p\n",
    ]);
  });

  test("diff of each kind", async () => {
    const objects = await Promise.all(
      kinds.map(async ([resource, name]) => {
        const object = JSON.parse(await k.ok("get", resource, name, "-o", "json")) as KubeObject;
        return { ...object, metadata: { ...object.metadata, labels: { touched: "yes" } } };
      }),
    );
    const { code, out } = await k.run(["diff", "--server-side", "--force-conflicts", "-f", "-"], {
      input: JSON.stringify(listOf(...objects)),
    });
    expect(code).toBe(1);
    expect(out.match(/^\+ +touched: "yes"$/gm)).toHaveLength(kinds.length);
    expect(await k.ok("get", "workload", "web", "--show-labels")).not.toContain("touched");
  });

  test.each(kinds)("explain a nested field of %s", async (resource, _name, _row, path, type) => {
    const explained = await k.ok("explain", `${resource.split(".")[0]}.${path}`);
    expect(explained).toMatch(new RegExp(`FIELD: ${path.split(".").at(-1)} ${type}`));
    expect(explained).toMatch(/DESCRIPTION:\n {4}\S/);
  });

  test("edit: what an editor saves is checked and applied", async () => {
    const [editor, shown] = [join(kubectl.folder, "editor"), join(kubectl.folder, "shown")];
    const edit = async (object: string, script: string) => {
      await writeFile(editor, `#!/bin/sh\ncat "$1" >> ${shown}\nsed -i '${script}' "$1"\n`, { mode: 0o700 });
      await rm(shown, { force: true });
      return await k.run(["edit", ...object.split("/")], {
        env: { KUBE_EDITOR: editor, TMPDIR: kubectl.folder },
      });
    };
    const scaled = await edit("workload/web", "s/minReplicas: 1/minReplicas: 2/");
    expect([scaled.code, scaled.out]).toEqual([0, "workload.compute.platformapis/web edited\n"]);
    await k.ok("wait", "--for=jsonpath={.status.replicas}=2", "workload/web", "--timeout=60s");
    const larger = await edit("network/default", "s/mtu: 1460/mtu: 1500/");
    expect(larger.out).toBe("network.networking.platformapis/default edited\n");
    expect(await field("network", "default", "spec.mtu")).toBe("1500");
    const same = await edit("network/default", "s/mtu: 1460/mtu: 1500/");
    expect([same.code, same.err]).toEqual([0, "Edit cancelled, no changes made.\n"]);
    const wrong = await edit("network/default", "s/mtu: 1500/mtu: 99/");
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("no valid changes were saved")]);
    // The editor is opened again, with the reason above the manifest.
    expect(await readFile(shown, "utf8")).toContain(
      '# networks.networking.platformapis "default" was not valid:\n# * spec.mtu: Invalid value: 99: ',
    );
    const unknown = await edit("workload/web", "s/placements:/placement:/");
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("no valid changes were saved")]);
    expect(await readFile(shown, "utf8")).toMatch(
      /^# \* patch: Invalid value: .*unknown field "spec.placement"/m,
    );
    expect(await field("workload", "web", replicas)).toBe("2");
  });

  test.each<[object: string, merge: object, operations: object[], path: string, values: string[]]>([
    [
      "workload/web",
      { spec: { placements: [{ name: "us", cityCodes: ["DFW"], scaleSettings: { minReplicas: 1 } }] } },
      [{ op: "replace", path: "/spec/placements/0/scaleSettings/minReplicas", value: 2 }],
      replicas,
      ["1", "2"],
    ],
    [
      "network/default",
      { spec: { mtu: 1400 } },
      [
        { op: "test", path: "/spec/mtu", value: 1400 },
        { op: "replace", path: "/spec/mtu", value: 1450 },
      ],
      "spec.mtu",
      ["1400", "1450"],
    ],
    [
      "workloaddeployment/web-us-dfw",
      { metadata: { annotations: { note: "merged" } } },
      [{ op: "add", path: "/metadata/annotations/note", value: "replaced" }],
      "metadata.annotations.note",
      ["merged", "replaced"],
    ],
  ])("patch %s by each type", async (object, merge, operations, path, values) => {
    const [resource = "", name = ""] = object.split("/");
    const patch = (type: string, body: object) =>
      k.run(["patch", resource, name, `--type=${type}`, "-p", JSON.stringify(body)]);
    expect((await patch("merge", merge)).out).toMatch(new RegExp(`/${name} patched\n$`));
    expect(await field(resource, name, path)).toBe(values[0]);
    expect((await patch("json", operations)).out).toMatch(new RegExp(`/${name} patched\n$`));
    expect(await field(resource, name, path)).toBe(values[1]);
    const failed = await patch("json", [{ op: "test", path: "/kind", value: "Other" }, ...operations]);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining("is invalid: patch: ")]);
    const strategic = await patch("strategic", merge);
    expect([strategic.code, strategic.err]).toEqual([
      1,
      expect.stringMatching(
        /^error: application\/strategic-merge-patch\+json is not supported by \S+, Kind=\w+: the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml\n$/,
      ),
    ]);
    expect(await field(resource, name, path)).toBe(values[1]);
  });

  test("a patch of what the server makes is put back", async () => {
    const merge = { spec: { scaleSettings: { minReplicas: 7 } } };
    await k.ok("patch", "workloaddeployment", "web-us-dfw", "--type=merge", "-p", JSON.stringify(merge));
    const is = "--for=jsonpath={.spec.scaleSettings.minReplicas}=2";
    await k.ok("wait", is, "workloaddeployment/web-us-dfw", "--timeout=60s");
    await k.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "workloaddeployment/web-us-dfw");
  });

  test("a wait for the deletion of each kind ends with it", async () => {
    const all = kinds.map(([resource, name]) => `${resource}/${name}`);
    const waits = k.run(["wait", "--for=delete", ...all, "--timeout=60s"]);
    await k.ok("delete", "workload", "web", "--timeout=60s");
    await k.ok("delete", "network/default", "networkpolicy/p", "--timeout=60s");
    await k.ok("delete", "locations.compute.platformapis", "dfw", "--timeout=60s");
    const { code, err } = await waits;
    expect([code, err]).toEqual([0, ""]);
    for (const resource of new Set(kinds.map(([kind]) => kind))) {
      expect(await k.ok("get", resource, "-o", "name")).toBe("");
    }
  });
});
