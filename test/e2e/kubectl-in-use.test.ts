import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import { kubectlBinary, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import type { TestPlatform } from "../support/plane/platform.ts";
import { example } from "../support/provider/compute-plane.ts";
import { startComputePlatform } from "../support/provider/emulated-provider.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** What is in use stays until the last user is gone, and says what its deletion waits for. */

let platform: TestPlatform;
let organization: Kubectl;
let k: Kubectl;

setUpAll(async (setUp) => {
  ({ platform, organization, project: k } = await startComputePlatform(setUp));
});

const configMap = (name: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
  data: { "index.html": "hello" },
});
const secret = (name: string) => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name }, type: "Opaque" },
  stringData: { token: "t" },
});

/** The example, which mounts the ConfigMap `pages`, with a Secret in its environment. */
function workload(name: string, secretName: string) {
  const body = example("workload");
  body.metadata.name = name;
  const [container] = body.spec.template.spec.runtime.sandbox.containers;
  container.env = [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: secretName, key: "token" } } }];
  body.spec.placements[0].scaleSettings.minReplicas = 2;
  return body;
}

async function start(name: string, secretName = "login"): Promise<void> {
  await k.file(workload(name, secretName), "create");
  await k.ok("wait", "--for=condition=Available", `workload/${name}`, "--timeout=60s");
  await k.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", `workloaddeployment/${name}-us-dfw`);
}

async function events(object: string): Promise<string> {
  return await k.ok(
    "get",
    "events",
    "-o",
    "jsonpath={.items[*].message}",
    "--field-selector",
    [`involvedObject.name=${object}`, "reason=InUse"].join(),
  );
}

const isMarked = async (object: string): Promise<boolean> =>
  /^20/.test(await k.ok("get", object, "-o", "jsonpath={.metadata.deletionTimestamp}"));

describe.skipIf(kubectlBinary === undefined)("what is in use", () => {
  test("ConfigMaps and Secrets stay until the last instance is gone, whoever comes meanwhile", async () => {
    const all = [configMap("pages"), configMap("unused"), secret("login"), secret("unused")];
    await k.file(listOf(...all, example("network"), example("location")), "create");
    await start("web");
    // What nothing uses goes at once.
    await k.ok("delete", "configmap/unused", "secret/unused", "--timeout=10s");

    const asked = await k.ok("delete", "configmap/pages", "secret/login", "--dry-run=server");
    expect(asked).toMatch(/deleted \(server dry run\)/);
    expect([await isMarked("configmap/pages"), await isMarked("secret/login")]).toEqual([false, false]);
    await k.ok("delete", "configmap/pages", "secret/login", "--wait=false");
    expect([await isMarked("configmap/pages"), await isMarked("secret/login")]).toEqual([true, true]);
    for (const name of ["pages", "login"]) {
      await until(`${name} says what it waits for`, async () => (await events(name)) !== "");
      expect(await events(name)).toContain("2 instances (default/web-us-dfw-0, default/web-us-dfw-1)");
    }
    const none = '{"metadata":{"finalizers":null}}';
    const { err } = await k.run(["patch", "configmap", "pages", "--type=merge", "-p", none]);
    expect(err).toMatch(
      /compute\.platformapis\/in-use must stay: .* once the configmap is deleted and nothing/,
    );

    await start("late");
    await platform.restart();
    await k.ok("delete", "workload", "web", "--timeout=60s");
    // Both controllers have looked by now.
    await k.ok("get", "workload", "late");
    expect([await isMarked("configmap/pages"), await isMarked("secret/login")]).toEqual([true, true]);
    expect(await k.ok("get", "instances", "-o", "jsonpath={.items[*].status.conditions[*].reason}")).toBe(
      "InstanceIsRunning InstanceIsRunning",
    );
    const waits = k.ok("wait", "--for=delete", "configmap/pages", "secret/login", "--timeout=60s");
    await k.ok("delete", "workload", "late", "--timeout=60s");
    await waits;
  });

  test("an object that a finalizer of somebody else kept is held for users that came later", async () => {
    const kept = { ...configMap("pages"), metadata: { name: "pages", finalizers: ["example.com/hold"] } };
    await k.file(listOf(kept, secret("login")), "create");
    await k.ok("delete", "configmap", "pages", "--wait=false");
    await start("web");
    const patch = '[{"op":"remove","path":"/metadata/finalizers/0"}]';
    await k.ok("patch", "configmap", "pages", "--type=json", "-p", patch);
    const held = "jsonpath={.metadata.finalizers}";
    expect(await k.ok("get", "configmap", "pages", "-o", held)).toBe('["compute.platformapis/in-use"]');
    await k.ok("delete", "workload", "web", "--timeout=60s");
    await k.ok("wait", "--for=delete", "configmap/pages", "--timeout=60s");
  });

  test("a Location and a Network in use stop nothing; both go with the workload", async () => {
    await k.file(configMap("pages"), "create");
    await start("web");
    await k.ok("delete", "locations.compute.platformapis/dfw", "network/default", "--wait=false");
    await k.ok(
      "wait",
      "--for=condition=Terminating",
      "locations.networking.platformapis/dfw",
      "--timeout=30s",
    );
    await k.ok("wait", "--for=condition=Ready=False", "network/default", "--timeout=30s");
    const terminating = '.status.conditions[?(@.type=="Terminating")]';
    const location = await k.ok(
      "get",
      "locations.networking.platformapis",
      "dfw",
      "-o",
      [`jsonpath={${terminating}.reason} {${terminating}.message}`].join(),
    );
    expect(location).toBe(
      "InUse The deletion waits until nothing uses the object any more: 1 workloaddeployments " +
        "(default/web-us-dfw) and 2 instances (default/web-us-dfw-0, default/web-us-dfw-1)",
    );
    expect(await k.ok("get", "network", "default")).toMatch(/False +Terminating/);
    await until(
      "both have an event",
      async () => !(await Promise.all(["dfw", "default"].map(events))).includes(""),
    );
    expect(await events("default")).toContain("1 networkbindings (default/web-us-dfw-net-0)");
    // It runs on, its instances are replaced there, and nothing new is placed there.
    const uid = () =>
      k.ok("get", "instance", "web-us-dfw-0", "--ignore-not-found", "-o", "jsonpath={.metadata.uid}");
    const before = await uid();
    // kubectl itself would wait in vain where it is replaced between its GET and its LIST: the watch has no DELETED.
    await k.ok("delete", "instance", "web-us-dfw-0", "--wait=false");
    await until("it is replaced", async () => !["", before].includes(await uid()));
    await k.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "workloaddeployment/web-us-dfw");
    await k.file(workload("other", "login"), "create");
    await k.ok("wait", "--for=create", "workloaddeployment/other-us-dfw", "--timeout=30s");
    const why = "jsonpath={.status.conditions[0].reason}";
    await until("it has no location", async () => {
      return (await k.ok("get", "workloaddeployment", "other-us-dfw", "-o", why)) === "NoLocations";
    });
    const waits = k.ok(
      ...[
        "wait",
        "--for=delete",
        "locations.networking.platformapis/dfw",
        "network/default",
        "--timeout=90s",
      ],
    );
    await k.ok("delete", "workload", "web", "other", "--timeout=60s");
    await waits;
  });

  test("a namespace and a project end with everything that is in use in them", async () => {
    await k.ok("create", "namespace", "shop");
    const needed = [configMap("pages"), secret("login"), example("network"), example("location")];
    const bodies = [...needed, workload("web", "login")];
    for (const body of bodies) body.metadata = { ...body.metadata, namespace: "shop" };
    await k.file(listOf(...bodies), "create");
    await k.ok("wait", "-n", "shop", "--for=condition=Available", "workload/web", "--timeout=60s");
    await k.ok("delete", "namespace", "shop", "--timeout=90s");
    for (const body of bodies) body.metadata = { ...body.metadata, namespace: "default" };
    await k.ok("delete", "secret,configmap", "--all", "--wait=false");
    await k.file(listOf(...bodies), "create");
    await k.ok("wait", "--for=condition=Available", "workload/web", "--timeout=60s");
    await organization.ok("delete", "project", "web", "--timeout=90s");
  });
});
