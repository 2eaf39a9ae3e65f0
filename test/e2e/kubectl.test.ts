import "../support/leak-check.ts";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { printKubeconfig } from "../../src/app/commands/platform/kubeconfig.ts";
import { type ConnectedKubectl, connectKubectl, kubectlBinary } from "../support/plane/connected-kubectl.ts";
import { createKubectl, type Kubectl } from "../support/plane/kubectl.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { setUpAll } from "../support/set-up.ts";

/** Tests the platform's Kubernetes API with the real kubectl. */

let platform: TestPlatform;
let kubectl: ConnectedKubectl;
let folder: string;
let organization: Kubectl;
let k: Kubectl;

setUpAll(async ({ keep }) => {
  platform = await keep(startTestPlatform());
  kubectl = await keep(connectKubectl(platform));
  ({ folder, organization, project: k } = kubectl);
});

const policy = (name: string, query = "up", metadata = {}) => ({
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name, ...metadata },
  spec: {
    sources: [{ name: "cpu", metrics: { metricsql: query } }],
    sinks: [
      {
        name: "receiver",
        sources: ["cpu"],
        target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/api/v1/write" } },
      },
    ],
  },
});

const configMap = (name: string, data: Record<string, string>, metadata = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  test("create a project and wait for its control plane", async () => {
    expect(await kubectl.createProject()).toBe("project.resourcemanager.platformapis/web created\n");
    expect(await organization.ok("get", "projects")).toMatch(
      /NAME +READY +REASON +AGE\nweb +True +ControlPlaneReady/,
    );
  });

  test("api-resources, api-versions, version, explain", async () => {
    const resources = await k.ok("api-resources");
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
    expect(resources).toMatch(/^exportpolicies +telemetry\.platformapis\/v1alpha1 +true +ExportPolicy$/m);
    expect(resources).not.toMatch(/Project/);
    expect(await organization.ok("api-resources", "-o", "name")).toMatch(
      /^projects\.resourcemanager\.platformapis$/m,
    );
    expect((await k.ok("api-versions")).split("\n")).toContain("telemetry.platformapis/v1alpha1");
    expect(await k.ok("version")).toMatch(/Server Version: v1\.32\.0\+telemetryd/);
    expect(await k.ok("explain", "exportpolicy.spec.sinks.target.prometheusRemoteWrite.retry")).toMatch(
      /maxAttempts\s+<integer>/,
    );
    expect(await k.ok("explain", "exportpolicy.spec.sinks")).toMatch(
      /FIELD: sinks <\[\]Object>[\s\S]*sources\s+<\[\]string> -required-\n\s+Names of the sources/,
    );
    expect(await k.ok("explain", "exportpolicy.metadata.ownerReferences")).toMatch(
      /FIELD: ownerReferences <\[\]OwnerReference>[\s\S]*controller\s+<boolean>\n\s+If true, this reference/,
    );
    expect(await k.ok("explain", "exportpolicy.metadata", "--output=plaintext-openapiv2")).toMatch(
      /ownerReferences\s+<\[\]Object>/,
    );
    expect(await k.ok("explain", "selfsubjectaccessreviews.spec.resourceAttributes")).toMatch(
      /KIND: +SelfSubjectAccessReview[\s\S]*verb\s+<string>/,
    );
    expect(await k.ok("explain", "secret", "--recursive")).toMatch(/stringData\s+<map\[string\]string>/);
  });

  test("the definitions of the custom kinds are there, to be read only", async () => {
    const crd = "exportpolicies.telemetry.platformapis";
    expect(await k.ok("get", "crd", "-o", "name")).toContain(
      `customresourcedefinition.apiextensions.k8s.io/${crd}\n`,
    );
    expect(await k.ok("get", "crd", crd)).toMatch(
      /^NAME +CREATED AT\nexportpolicies\.telemetry\.platformapis +20\d\d-\d\d-\d\dT[\d:]{8}Z\n$/,
    );
    const created = "jsonpath={.metadata.creationTimestamp}";
    expect(await k.ok("get", "crd", crd, "-o", created)).toBe(
      await k.ok("get", "namespace", "default", "-o", created),
    );
    await k.ok("wait", "--for=condition=Established", `crd/${crd}`, "--timeout=20s");
    expect(await organization.ok("get", "crds", "-o", "jsonpath={.items[*].spec.names.kind}")).toBe(
      "Project",
    );
    expect(await k.ok("explain", "crd.spec.names")).toMatch(/shortNames\s+<\[\]string>/);
    expect(await k.ok("get", "crd", "--field-selector", `metadata.name=${crd}`, "-o", "name")).toMatch(
      /^\S+\n$/,
    );
    expect((await k.run(["get", "crd", "none"])).err).toMatch(
      /customresourcedefinitions\S* "none" not found/,
    );
    for (const args of [
      ["delete", "crd", crd],
      ["label", "crd", crd, "a=b"],
    ]) {
      const { code, err } = await k.run(args);
      expect([code, err]).toEqual([1, expect.stringMatching(/\(MethodNotAllowed\)/)]);
    }
    expect((await k.run(["auth", "can-i", "delete", "crd"])).out).toBe("no - the kind can only be read\n");
    expect((await k.run(["auth", "can-i", "watch", "crd"])).out).toBe("yes\n");
    const watch = k.start("get", "crd", "--watch", "-o", "name");
    await watch.sees(`/${crd}`);
    await watch.stop();
  });

  test("apply on the client's side: created, unchanged, configured; diff; fields that go", async () => {
    const first = configMap("applied", { a: "1", b: "2" });
    expect(await k.file(first, "apply")).toBe("configmap/applied created\n");
    expect(await k.file(first, "apply")).toBe("configmap/applied unchanged\n");
    const second = configMap("applied", { a: "3" });
    const diff = await k.run(["diff", "-f", "-"], { input: JSON.stringify(second) });
    expect([diff.code, diff.out]).toEqual([1, expect.stringMatching(/- {2}a: "1"[\s\S]*\+ {2}a: "3"/)]);
    expect(await k.file(second, "apply")).toBe("configmap/applied configured\n");
    expect((await k.run(["diff", "-f", "-"], { input: JSON.stringify(second) })).code).toBe(0);
    expect(await k.ok("get", "cm", "applied", "-o", "jsonpath={.data}")).toBe('{"a":"3"}');
    expect(await k.file(policy("applied"), "apply")).toBe(
      "exportpolicy.telemetry.platformapis/applied created\n",
    );
    expect(await k.file(policy("applied", "down"), "apply")).toMatch(/configured/);
    const refused = await k.run(["apply", "-f", "-"], { input: JSON.stringify({ ...first, extra: 1 }) });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('unknown field "extra"')]);
  });

  test("apply on the server's side: conflict, force, fields that go", async () => {
    const apply = (manager: string, data: Record<string, string>, ...more: string[]) =>
      k.run(["apply", "--server-side", `--field-manager=${manager}`, ...more, "-f", "-"], {
        input: JSON.stringify(configMap("shared", data)),
      });
    expect((await apply("one", { a: "1", b: "1" })).out).toBe("configmap/shared serverside-applied\n");
    expect((await apply("two", { c: "2" })).code).toBe(0);
    const conflict = await apply("two", { a: "2", c: "2" });
    expect([conflict.code, conflict.err]).toEqual([
      1,
      expect.stringMatching(/Apply failed with 1 conflict: conflict with "one": \.data\.a/),
    ]);
    expect((await apply("two", { a: "2", c: "2" }, "--force-conflicts")).code).toBe(0);
    expect((await apply("one", {})).code).toBe(0);
    expect(await k.ok("get", "cm", "shared", "-o", "jsonpath={.data}")).toBe('{"a":"2","c":"2"}');
    const managed = await k.ok("get", "cm", "shared", "--show-managed-fields", "-o", "yaml");
    expect(managed).toMatch(/manager: two\n {4}operation: Apply/);
    // From client-side to server-side apply: the fields change owners.
    await k.file(configMap("moved", { a: "1", b: "1" }), "apply");
    expect(
      await k.file(configMap("moved", { a: "2" }), "apply", "--server-side", "--force-conflicts"),
    ).toMatch(/serverside-applied/);
    expect(await k.ok("get", "cm", "moved", "-o", "jsonpath={.data}")).toBe('{"a":"2"}');
  });

  test("a List, and a directory", async () => {
    const list = { apiVersion: "v1", kind: "List", items: [configMap("l1", {}), configMap("l2", {})] };
    expect(await k.file(list, "apply")).toBe("configmap/l1 created\nconfigmap/l2 created\n");
    const policies = { ...list, items: [policy("listed")] };
    expect(await k.file(policies, "apply")).toMatch(/listed created/);
    expect(await k.file(policies, "delete")).toMatch(/"listed" deleted/);
    const odd = { ...list, items: [{ ...configMap("l1", {}), odd: 1 }] };
    expect((await k.run(["apply", "-f", "-"], { input: JSON.stringify(odd) })).err).toMatch(
      /unknown field "odd"/,
    );
    const directory = await mkdtemp(join(folder, "manifests-"));
    await writeFile(join(directory, "a.json"), JSON.stringify(configMap("d1", {})));
    await writeFile(
      join(directory, "b.yaml"),
      "apiVersion: v1\nkind: Namespace\nmetadata: {name: from-directory}\n",
    );
    expect(await k.ok("apply", "-f", directory)).toBe(
      "configmap/d1 created\nnamespace/from-directory created\n",
    );
    expect(JSON.parse(await k.ok("get", "cm", "l1", "l2", "-o", "json"))).toMatchObject({
      kind: "List",
      items: [{}, {}],
    });
  });

  test("apply --prune, with the kinds named, and with an ApplySet", async () => {
    const labelled = (name: string) => configMap(name, {}, { namespace: "default", labels: { app: "shop" } });
    const both = { apiVersion: "v1", kind: "List", items: [labelled("shop-a"), labelled("shop-b")] };
    const left = { ...both, items: [labelled("shop-a")] };
    const allowed = ["core/v1/ConfigMap", "core/v1/Secret", "networking.platformapis/v1alpha/HTTPProxy"];
    const flags = ["-l", "app=shop", ...allowed.map((kind) => `--prune-allowlist=${kind}`)];
    await k.file(both, "apply");
    expect(await k.file(left, "apply", "--prune", ...flags)).toMatch(/configmap\/shop-b pruned/);
    expect(await k.ok("get", "cm", "-l", "app=shop", "-o", "name")).toBe("configmap/shop-a\n");

    const applySet = async (list: object) => {
      const args = ["apply", "-n", "default", "--prune", "--applyset=configmap/shop", "-f", "-"];
      return await k.run(args, { input: JSON.stringify(list), env: { KUBECTL_APPLYSET: "true" } });
    };
    await k.ok("delete", "cm", "-l", "app=shop");
    expect(await applySet(both)).toMatchObject({ code: 0 });
    const pruned = await applySet(left);
    expect([pruned.code, pruned.out]).toEqual([0, expect.stringMatching(/configmap\/shop-b pruned/)]);
    expect(await k.ok("get", "cm", "-l", "app=shop", "-o", "name")).toBe("configmap/shop-a\n");
  });

  test("create secrets, config maps and namespaces; generateName; a name that is taken", async () => {
    expect(await k.ok("create", "secret", "generic", "plain", "--from-literal=a=b")).toBe(
      "secret/plain created\n",
    );
    expect(await k.ok("get", "secret", "plain", "-o", "jsonpath={.data.a}")).toBe("Yg==");
    const basic = [
      "--type=kubernetes.io/basic-auth",
      "--from-literal=username=u",
      "--from-literal=password=p",
    ];
    await k.ok("create", "secret", "generic", "basic", ...basic);
    expect(await k.ok("get", "secret", "basic")).toMatch(/basic +kubernetes\.io\/basic-auth +2/);
    await k.ok("create", "configmap", "made", "--from-literal=k=v");
    await k.ok("create", "namespace", "made");
    expect((await k.run(["create", "namespace", "made"])).err).toMatch(/namespaces "made" already exists/);
    const generated = { ...configMap("", {}), metadata: { generateName: "gen-" } };
    expect(await k.file(generated, "create")).toMatch(/^configmap\/gen-\w{5} created$/m);
    expect(await k.ok("create", "configmap", "dry", "--dry-run=server", "-o", "name")).toBe(
      "configmap/dry\n",
    );
    expect((await k.run(["get", "cm", "dry"])).err).toMatch(/configmaps "dry" not found/);
  });

  test("get in every form", async () => {
    expect(await k.ok("get", "exportpolicies")).toMatch(
      /^NAME +READY +DELIVERING +REASON +LAST DELIVERED +AGE\napplied/,
    );
    expect(await k.ok("get", "exportpolicies", "-o", "wide")).toMatch(/ AGE +MESSAGE\n/);
    expect(await k.ok("get", "cm", "made", "-o", "yaml")).toMatch(
      /^apiVersion: v1\ndata:\n {2}k: v\nkind: ConfigMap/,
    );
    expect(await k.ok("get", "cm", "made", "-o", "name")).toBe("configmap/made\n");
    expect(await k.ok("get", "secrets,cm", "-A")).toMatch(
      /NAMESPACE +NAME[\s\S]*default +secret\/basic[\s\S]*default +configmap\/made/,
    );
    await k.ok("label", "cm", "l1", "l2", "kind=listed");
    expect(await k.ok("get", "cm", "-l", "kind in (listed),!other", "-o", "name")).toBe(
      "configmap/l1\nconfigmap/l2\n",
    );
    expect(await k.ok("get", "cm", "-l", "kind=listed", "--show-labels")).toMatch(/kind=listed/);
    expect(await k.ok("get", "cm", "--field-selector", "metadata.name=made", "-o", "name")).toBe(
      "configmap/made\n",
    );
    const chunked = await k.ok("get", "cm", "--chunk-size=2", "-o", "name");
    expect(chunked).toBe(await k.ok("get", "cm", "--chunk-size=0", "-o", "name"));
    expect(await k.ok("get", "cm", "made", "-o", "custom-columns=N:.metadata.name,K:.data.k")).toMatch(
      /made +v/,
    );
    expect(await k.ok("get", "cm", "--sort-by=.metadata.name", "-o", "name")).toMatch(/applied[\s\S]*shared/);
    expect(await k.ok("get", "ns")).toMatch(/default +Active/);
    expect((await k.run(["get", "cm", "none"])).err).toBe(
      'Error from server (NotFound): configmaps "none" not found\n',
    );
    expect((await k.run(["get", "pods"])).err).toMatch(/the server doesn't have a resource type "pods"/);
  });

  test("describe", async () => {
    expect(await k.ok("describe", "exportpolicy", "applied")).toMatch(
      /Kind: +ExportPolicy[\s\S]*Metricsql: +down/,
    );
    expect(await k.ok("describe", "secret", "basic")).toMatch(/password: +1 bytes/);
    expect(await k.ok("describe", "cm", "made")).toMatch(/k:\n----\nv/);
    expect(await k.ok("describe", "ns", "default")).toMatch(/Status: +Active/);
  });

  test("edit, label, annotate, replace", async () => {
    const edited = await k.run(["edit", "cm", "made"], {
      env: { KUBE_EDITOR: "sed -i 's/k: v/k: edited/'" },
    });
    expect(edited.out).toBe("configmap/made edited\n");
    expect(await k.ok("get", "cm", "made", "-o", "jsonpath={.data.k}")).toBe("edited");
    await k.ok("label", "exportpolicy", "applied", "tier=front");
    expect((await k.run(["label", "exportpolicy", "applied", "tier=back"])).err).toMatch(
      /--overwrite is false/,
    );
    await k.ok("label", "exportpolicy", "applied", "tier-");
    await k.ok("annotate", "exportpolicy", "applied", "note=x y");
    const json = JSON.parse(await k.ok("get", "exportpolicy", "applied", "-o", "json"));
    expect([json.metadata.labels, json.metadata.annotations.note]).toEqual([undefined, "x y"]);
    expect(await k.file({ ...json, metadata: { ...json.metadata, labels: { a: "b" } } }, "replace")).toMatch(
      /replaced/,
    );
    const late = await k.run(["replace", "-f", "-"], { input: JSON.stringify(json) });
    expect(late.err).toMatch(/Conflict.*the object has been modified/);
    expect(await k.file(configMap("made", { k: "forced" }), "replace", "--force")).toMatch(
      /deleted[\s\S]*replaced/,
    );
  });

  test("patch of every type", async () => {
    const data = () => k.ok("get", "cm", "made", "-o", "jsonpath={.data}");
    await k.ok("patch", "cm", "made", "--type=merge", "-p", '{"data":{"m":"1","k":null}}');
    expect(await data()).toBe('{"m":"1"}');
    await k.ok("patch", "cm", "made", "--type=json", "-p", '[{"op":"replace","path":"/data/m","value":"2"}]');
    expect(await data()).toBe('{"m":"2"}');
    await k.ok("patch", "cm", "made", "-p", '{"metadata":{"finalizers":["example.com/a"]}}');
    await k.ok("patch", "cm", "made", "-p", '{"metadata":{"finalizers":["example.com/b"]}}');
    const finalizers = () => k.ok("get", "cm", "made", "-o", "jsonpath={.metadata.finalizers}");
    expect(await finalizers()).toBe('["example.com/a","example.com/b"]');
    await k.ok("patch", "cm", "made", "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
    const since = { message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [
      { type: "Ready", status: "True", reason: "R", ...since },
      { type: "Delivering", status: "False", reason: "Retrying", ...since },
    ];
    const lastDeliveredTime = new Date(Date.now() - 3 * 86_400_000).toISOString();
    await k.ok(
      "patch",
      "exportpolicy",
      "applied",
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify({ status: { conditions, lastDeliveredTime } }),
    );
    expect(await k.ok("get", "exportpolicy", "applied")).toMatch(/applied +True +False +Retrying +3d/);
    const failed = await k.run([
      "patch",
      "cm",
      "made",
      "--type=json",
      "-p",
      '[{"op":"test","path":"/data/m","value":"9"}]',
    ]);
    expect([failed.code, failed.err]).toEqual([1, expect.stringMatching(/invalid/i)]);
  });

  test("scale of nothing is a clear error", async () => {
    const { code, err } = await k.run(["scale", "--replicas=2", "exportpolicy/applied"]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/could not find the requested resource|not found/i),
    ]);
  });

  test("wait for a condition, a creation, a deletion", async () => {
    await k.ok("wait", "--for=condition=Ready", "exportpolicy/applied", "--timeout=20s");
    await k.ok("wait", "--for=jsonpath={.data.m}=2", "cm/made", "--timeout=20s");
    const created = k.run(["wait", "--for=create", "cm/awaited", "--timeout=30s"]);
    await k.file(configMap("awaited", {}), "create");
    expect((await created).code).toBe(0);
    const deleted = k.run(["wait", "--for=delete", "cm/awaited", "--timeout=30s"]);
    await k.ok("delete", "cm", "awaited");
    expect((await deleted).code).toBe(0);
    expect(
      (await k.run(["wait", "--for=condition=Never", "exportpolicy/applied", "--timeout=1s"])).err,
    ).toMatch(/timed out/);
  });

  test("watch, as a table and by name", async () => {
    const table = k.start("get", "cm", "-l", "watch=me", "-w");
    const names = k.start("get", "cm", "-l", "watch=me", "-w", "--output-watch-events");
    try {
      await k.file(configMap("watched", { a: "1" }, { labels: { watch: "me" } }), "create");
      await names.sees("ADDED      watched");
      await k.ok("label", "cm", "watched", "watch=not", "--overwrite");
      await names.sees("DELETED    watched");
      await table.sees("watched");
      expect(table.lines()[0]).toMatch(/^NAME +DATA +AGE$/);
    } finally {
      await Promise.all([table.stop(), names.stop()]);
    }
  });

  test("delete: cascade modes, all, finalizers", async () => {
    const make = async (name: string): Promise<void> => {
      await k.file(configMap(name, {}), "create");
      const uid = await k.ok("get", "cm", name, "-o", "jsonpath={.metadata.uid}");
      const owner = { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
      await k.file(configMap(`${name}-child`, {}, { ownerReferences: [owner] }), "create");
    };
    for (const mode of ["background", "foreground", "orphan"]) {
      await make(mode);
      await k.ok("delete", "cm", mode, `--cascade=${mode}`, "--timeout=30s");
      if (mode === "orphan")
        expect(await k.ok("get", "cm", "orphan-child", "-o", "name")).toMatch(/orphan-child/);
      else await k.ok("wait", "--for=delete", `cm/${mode}-child`, "--timeout=30s");
    }
    await k.file(configMap("held", {}, { finalizers: ["example.com/hold"] }), "create");
    expect(await k.ok("delete", "cm", "held", "--wait=false")).toMatch(/configmap "held" deleted/);
    expect(await k.ok("get", "cm", "held", "-o", "jsonpath={.metadata.deletionTimestamp}")).toMatch(/^20/);
    await k.ok("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":[]}}');
    await k.ok("wait", "--for=delete", "cm/held", "--timeout=30s");
    await k.ok("delete", "cm", "--all");
    expect((await k.run(["get", "cm"])).err).toMatch(/No resources found/);
    await k.ok("delete", "ns", "made", "from-directory", "--timeout=30s");
    expect(await k.ok("get", "ns", "-o", "name")).toBe("namespace/default\n");
  });

  test("auth can-i, auth whoami", async () => {
    expect(await k.ok("auth", "can-i", "create", "exportpolicies")).toBe("yes\n");
    expect(await k.ok("auth", "can-i", "create", "selfsubjectaccessreviews")).toBe("yes\n");
    expect((await k.run(["auth", "can-i", "list", "selfsubjectaccessreviews"])).out).toMatch(/^no/);
    expect((await k.run(["auth", "can-i", "create", "pods"])).out).toMatch(/^no/);
    // "instances/status" would be an Instance of the name "status" for kubectl.
    const ofStatus = ["auth", "can-i", "--subresource=status"];
    expect(await k.ok(...ofStatus, "update", "exportpolicies")).toBe("yes\n");
    expect((await k.run([...ofStatus, "update", "instances"])).out).toMatch(/^no - only providers/);
    expect(await k.ok(...ofStatus, "get", "instances")).toBe("yes\n");
    expect(await k.ok("auth", "can-i", "--list")).toMatch(/secrets/);
    const patch = ["-p", '{"status":{}}', "--type=merge", "--subresource=status"];
    const refused = await k.run(["patch", "ns", "default", ...patch]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /^Error from server \(Forbidden\): .* cannot patch resource "namespaces\/status"/,
      ),
    ]);
    expect(await k.ok("auth", "whoami")).toMatch(/Username +alice@example\.com/);
  });

  test("a kubeconfig from the command just works: its plug-in exchanges the token", async () => {
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, `${platform.token}\n`);
    const settings = join(folder, "telemetryd.yaml");
    const listen = new URL(platform.url).host;
    await writeFile(
      settings,
      `platform: { listen: "${listen}" }\nstate: { directory: ${platform.stateDirectory} }\n`,
    );
    const file = join(folder, "exec.yaml");
    let text = "";
    await printKubeconfig(
      { file: settings, overrides: [], environment: {}, project: "web", tokenFile },
      {
        command: process.execPath,
        args: ["--import", "tsx", resolve("test/support/plane/credentials-cli.ts")],
      },
      { write: (piece) => (text += piece) },
      Date.now(),
      AbortSignal.timeout(20_000),
    );
    await writeFile(file, text);
    expect(await readFile(file, "utf8")).not.toContain(platform.token);
    const plain = createKubectl(kubectlBinary ?? "kubectl", file, join(folder, "cache-exec"));
    expect(await plain.ok("get", "exportpolicies", "-o", "name")).toMatch(/applied/);
    // This client passes neither its version nor the authority to the plug-in.
    const config = new KubeConfig();
    config.loadFromFile(file);
    const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(["default"]);
    await writeFile(tokenFile, "wrong\n");
    const refused = await plain.run(["get", "secrets"]);
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining("refuses the access token (HTTP 403)"),
    ]);
    await writeFile(file, text.replace(/- --ca-data\n +- .+/, "").replace("provideClusterInfo: true", ""));
    expect((await plain.run(["get", "secrets"])).err).toMatch(
      /the platform's certificate is not trusted: unable to verify the first certificate/,
    );
  });
});
