import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { Releasers } from "../../src/base/core/service.ts";
import { checkManifest } from "../../src/exporter/policy/spec/manifest.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { snippetsOf } from "../support/documents/document-snippets.ts";
import {
  chart,
  findHelm,
  type HelmResult,
  manifestsOf,
  runHelm,
  templateArgs,
} from "../support/manifests/helm.ts";
import { schemaFaults } from "../support/manifests/kubernetes-schema.ts";
import {
  containersOf,
  type Manifest,
  Rendered,
  renderKustomization,
} from "../support/manifests/kustomize.ts";
import { policiesPath, projectBase, startTestPlatform, writeKubeconfig } from "../support/plane/platform.ts";
import { flushVictoriaMetrics, readVictoriaMetrics, writeToVictoriaMetrics } from "../support/samples.ts";
import { findServers, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const root = resolve(import.meta.dirname, "../..");
const folder = resolve(import.meta.dirname, "helm-chart");
const { version } = parse(await readFile(resolve(chart, "Chart.yaml"), "utf8")) as { version: string };
const valueFiles = (await readdir(folder))
  .filter((name) => name.endsWith(".values.yaml"))
  .map((name) => name.replace(".values.yaml", ""));

/** Kinds of the Prometheus operator, of which the tests have no schema. */
const operatorKinds = ["PodMonitor", "PrometheusRule"];

const helm = await findHelm();
let home = "";
setUpAll(async ({ newFolder }) => {
  home = await newFolder("helm");
});

async function run(...args: readonly string[]): Promise<HelmResult> {
  return runHelm(helm ?? "", args, home);
}

async function render(name: string): Promise<Manifest[]> {
  const args = templateArgs("telemetryd", "telemetryd", "--values", join(folder, `${name}.values.yaml`));
  const { ok, stdout, stderr } = await run(...args);
  expect({ ok, stderr }).toEqual({ ok: true, stderr: "" });
  return manifestsOf(stdout);
}

async function refused(values: object): Promise<string> {
  const file = join(home, "values.yaml");
  await writeFile(file, stringify(values));
  const { ok, stderr } = await run(...templateArgs("telemetryd", "telemetryd", "--values", file));
  expect(ok).toBe(false);
  return stderr;
}

describe.skipIf(helm === undefined)("the chart, rendered by helm", () => {
  test("has golden files", () => {
    expect(valueFiles.length).toBeGreaterThan(4);
  });

  test("helm lint finds nothing wrong without values", async () => {
    const { ok, stdout } = await run("lint", "--strict", chart);
    expect([ok, stdout]).toEqual([true, expect.stringContaining("1 chart(s) linted, 0 chart(s) failed")]);
  });

  describe.each(valueFiles)("%s", (name) => {
    let rendered = new Rendered([]);
    beforeAll(async () => {
      rendered = new Rendered(await render(name));
    });

    test("helm lint finds nothing wrong", async () => {
      const { ok, stdout } = await run(
        "lint",
        "--strict",
        "--values",
        join(folder, `${name}.values.yaml`),
        chart,
      );
      expect({ ok, stdout }).toMatchObject({ ok: true });
      expect(stdout).not.toMatch(/WARNING|ERROR/);
    });

    // To accept changes: npx vitest run test/integration/helm-chart.test.ts -u
    test("renders what the golden file has", async () => {
      const text = rendered.objects
        .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
        .map((object) => stringify(golden(object), { lineWidth: 0 }))
        .join("---\n");
      await expect(text).toMatchFileSnapshot(join(folder, `${name}.golden.yaml`));
    });

    test("a Kubernetes API server knows every field", () => {
      const builtIn = rendered.objects.filter(({ kind }) => !operatorKinds.includes(kind));
      expect(builtIn.flatMap(schemaFaults)).toEqual([]);
      for (const { kind, metadata } of rendered.objects) {
        const inCluster = kind.startsWith("ClusterRole");
        expect([kind, metadata.namespace]).toEqual([kind, inCluster ? undefined : "telemetryd"]);
      }
    });

    test("selectors find the pods, and mounts their volumes", () => {
      const { workload, container } = rendered.telemetryd;
      const { template, selector } = workload["spec"];
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      for (const { spec } of rendered.of("Service", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor")) {
        const wanted = spec.podSelector?.matchLabels ?? spec.selector.matchLabels ?? spec.selector;
        const found = rendered.workloads.filter((each) =>
          Object.entries(wanted).every(
            ([key, value]) => each["spec"].template.metadata.labels[key] === value,
          ),
        );
        expect(found.length).toBe(1);
      }
      const volumes = [
        ...template.spec.volumes,
        ...(workload["spec"].volumeClaimTemplates ?? []).map((claim: Manifest) => claim.metadata),
      ].map(({ name }) => name);
      expect(new Set(container.volumeMounts?.map(({ name }) => name))).toEqual(new Set(volumes));
      const account = template.spec.serviceAccountName;
      for (const { subjects } of rendered.of("ClusterRoleBinding")) expect(subjects[0].name).toBe(account);
    });

    test("every port of a container has a Service, and NetworkPolicies open no other", () => {
      const containers = rendered.workloads.flatMap(containersOf);
      const ports = containers.flatMap((one) => one.ports ?? []).map(({ name }) => name);
      const targets = rendered.of("Service").flatMap(({ spec }) => spec.ports.map(portName));
      expect(targets.toSorted()).toEqual(ports.toSorted());
      for (const { spec } of rendered.of("NetworkPolicy")) {
        for (const rule of spec.ingress)
          expect(targets).toEqual(expect.arrayContaining(rule.ports.map(portName)));
      }
    });

    test("claims have the label that docs/helm.md deletes by", () => {
      const ofSets = rendered.of("StatefulSet").flatMap(({ spec }) =>
        // The controller labels a claim with its template's labels and the set's selector.
        (spec.volumeClaimTemplates ?? []).map(({ metadata }: Manifest) => ({
          ...metadata.labels,
          ...spec.selector.matchLabels,
        })),
      );
      const own = rendered.of("PersistentVolumeClaim").map(({ metadata }) => metadata.labels);
      for (const labels of [...own, ...ofSets]) {
        expect(labels).toMatchObject({ "app.kubernetes.io/instance": "telemetryd" });
      }
    });

    test("the configuration passes telemetryd validate", async () => {
      expect(await validate(rendered)).toEqual({ ok: true, output: expect.any(String) });
    });
  });

  test("a configuration with a fault does not pass telemetryd validate", async () => {
    const objects = structuredClone(await render("ten-lines")) as Manifest[];
    const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "telemetryd");
    map!["data"]["telemetryd.yaml"] = map!["data"]["telemetryd.yaml"].replace(/^ {2}tenantLabel.*\n/m, "");
    expect(await validate(new Rendered(objects))).toMatchObject({
      ok: false,
      output: expect.stringContaining("metrics: needs tenantLabel"),
    });
  });

  describe("equal to the kustomize bases", () => {
    let kubectl = "";
    beforeAll(async () => {
      ({
        kubectl: { path: kubectl },
      } = await findServers(["kubectl"]));
    }, 300_000);

    test.each(["deployment", "fleet"])("%s", async (name) => {
      const inBase = await renderKustomization(kubectl, resolve(root, "config/kubernetes", name));
      // Helm creates no namespace, installs the CRD from crds/, and one pod needs no disruption budget.
      const elsewhere = ["Namespace", "CustomResourceDefinition"];
      if (name === "deployment") elsewhere.push("PodDisruptionBudget");
      const ofBase = substanceOf(inBase.filter(({ kind }) => !elsewhere.includes(kind)));
      expect(substanceOf(await render(name))).toEqual(ofBase);
      expect(Object.keys(ofBase).length).toBeGreaterThan(8);
    });
  });

  test("installs the CRD", async () => {
    const { stdout } = await run("show", "crds", chart);
    expect(manifestsOf(stdout).map(({ metadata }) => metadata.name)).toEqual([
      "exportpolicies.telemetry.platformapis",
    ]);
  });

  test("the alerts are those of config/alerts", async () => {
    const [rule] = (await render("secrets")).filter(({ kind }) => kind === "PrometheusRule");
    const source = parse(await readFile(resolve(root, "config/alerts/telemetryd.rules.yaml"), "utf8"));
    expect(rule?.["spec"]).toEqual(source);
  });

  test("runbookBaseUrl makes the alerts' links absolute", async () => {
    const values = join(folder, "secrets.values.yaml");
    const links = ["--set", "prometheusRule.runbookBaseUrl=https://docs.example.com/runbooks/"];
    const { stdout } = await run(...templateArgs("telemetryd", "telemetryd", "--values", values, ...links));
    const urls = [...stdout.matchAll(/runbook_url: (.*)/g)].map(([, url]) => url);
    expect(urls.length).toBeGreaterThan(10);
    expect(urls.filter((url) => !url?.startsWith("https://docs.example.com/runbooks/"))).toEqual([]);
    expect(urls).toContain("https://docs.example.com/runbooks/sink-lagging.md");
  });

  test("a changed configuration restarts the pods, and other values do not", async () => {
    const values = join(folder, "ten-lines.values.yaml");
    const checksum = async (...set: string[]): Promise<string> => {
      const { stdout } = await run(...templateArgs("telemetryd", "telemetryd", "--values", values, ...set));
      const { template } = new Rendered(manifestsOf(stdout)).telemetryd.workload["spec"];
      return template.metadata.annotations["checksum/configuration"];
    };
    const before = await checksum();
    expect(await checksum("--set", "podMonitor.enabled=true")).toBe(before);
    expect(await checksum("--set", "config.metrics.interval=5s")).not.toBe(before);
  });

  test("two releases share no name in the cluster", async () => {
    const values = join(folder, "ten-lines.values.yaml");
    const names = async (release: string, namespace: string): Promise<string[]> =>
      manifestsOf((await run(...templateArgs(release, namespace, "--values", values))).stdout)
        .filter(({ metadata }) => metadata.namespace === undefined)
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const all = [
      ...(await names("telemetryd", "a")),
      ...(await names("telemetryd", "b")),
      ...(await names("web", "a")),
    ];
    expect(all.length).toBe(12);
    expect(new Set(all).size).toBe(12);
  });

  test("the notes show a policy without faults, and commands for what was installed", async () => {
    const copy = join(home, "chart");
    await cp(chart, copy, { recursive: true });
    // helm template leaves the notes out: here they are a ConfigMap's.
    await cp(join(copy, "templates/NOTES.txt"), join(copy, "NOTES.txt"));
    const lines = ["apiVersion: v1", "kind: ConfigMap", "metadata: { name: notes }", "data:", "  notes: |"];
    const include = '{{ tpl (.Files.Get "NOTES.txt") . | nindent 4 }}';
    await writeFile(join(copy, "templates/notes.yaml"), [...lines, include].join("\n"));
    const notes = async (name: string): Promise<string> => {
      const values = join(folder, `${name}.values.yaml`);
      const args = templateArgs(
        "telemetryd",
        "exports",
        "--values",
        values,
        "--show-only",
        "templates/notes.yaml",
      );
      const { stdout, stderr } = await run(...args.map((arg) => (arg === chart ? copy : arg)));
      expect(stderr).toBe("");
      return manifestsOf(stdout)[0]?.["data"].notes;
    };

    const ofOne = await notes("ten-lines");
    expect(ofOne).toContain("kubectl -n exports rollout status deployment/telemetryd");
    expect(ofOne).toContain('config.metrics.tenantLabel is ""');
    const policy = /<<END\n(.*?)^ *END$/ms.exec(ofOne)?.[1]?.replace(/^ {5}/gm, "") ?? "";
    const checked = checkManifest(policy, "NOTES.txt", { plane: "directory", unknownFields: "error" });
    expect([checked.faults, checked.policies.length]).toEqual([[], 1]);

    expect(await notes("fleet")).toContain("kubectl label namespace NAME telemetryd/ops=allowed");
    expect(await notes("fleet")).toContain("port-forward statefulset/telemetryd 9464");
    expect(await notes("platform")).not.toContain("kubectl apply -f - <<END");
    expect(await notes("everything")).toMatch(/telemetry\.example\.com\/v1alpha1[\s\S]*WARNING: persistence/);
  });

  test("a policy exports with the first values of docs/helm.md", async () => {
    const releasers = new Releasers();
    onTestFinished(() => releasers.releaseAll());
    const place = await mkdtemp(join(home, "export-"));
    const platform = await startTestPlatform();
    releasers.push(() => platform.stop());
    const source = await startVictoriaMetrics();
    releasers.push(() => source[Symbol.asyncDispose]());
    const receiver = await startVictoriaMetrics();
    releasers.push(() => receiver[Symbol.asyncDispose]());
    const bearer = await platform.exchange(platform.token);
    const call = (method: string, path: string, body?: unknown) =>
      platform.fetch(path, { method, bearer, body });
    const policies = policiesPath("web");
    await platform.createProject("web");

    const [snippet] = snippetsOf("docs/helm.md").filter(({ language }) => language === "yaml");
    const values = join(place, "values.yaml");
    await writeFile(values, snippet?.text ?? "");
    const { stdout } = await run(...templateArgs("telemetryd", "telemetryd", "--values", values));
    const rendered = new Rendered(manifestsOf(stdout));
    const { workload, container } = rendered.telemetryd;
    const files = rendered.mountedFiles(workload, container);
    const config = parse(files.get("/etc/telemetryd/telemetryd.yaml") ?? "");
    // Other places than in a cluster, and no waiting.
    config.controlPlane.kubeconfig = join(place, "kubeconfig");
    await writeKubeconfig(platform, config.controlPlane.kubeconfig, projectBase("web"), bearer);
    Object.assign(config.metrics, { url: source.url, interval: "1s", delay: "1s" });
    config.egress.allow.push("127.0.0.0/8");
    config.state.directory = join(place, "data");
    config.delivery.startFrom = "1h";
    delete config.ops;

    const daemon = await spawnDaemon({ directory: place, config });
    releasers.push(() => endDaemon(daemon));
    const spec = {
      sources: [{ name: "all", metrics: { metricsql: "helm_sample" } }],
      sinks: [
        {
          name: "receiver",
          sources: ["all"],
          target: { prometheusRemoteWrite: { endpoint: `${receiver.url}/api/v1/write` } },
        },
      ],
    };
    expect((await call("POST", policies, { metadata: { name: "all" }, spec })).code).toBe(201);
    const { signal } = new AbortController();
    const samples = [{ timestampMs: Date.now(), value: 1 }];
    const labels = [{ name: "__name__", value: "helm_sample" }];
    await writeToVictoriaMetrics(source.url, [{ labels, samples }], signal);
    await until("the sample has come", async () => {
      await flushVictoriaMetrics(receiver.url, signal);
      const span = { fromMs: Date.now() - 3_600_000, toMs: Date.now() };
      const matchers = [{ name: "__name__", type: "=~", value: ".+" }] as const;
      const { series } = await readVictoriaMetrics(receiver.url, { ...span, matchers }, signal);
      return series.has('{__name__="helm_sample"}');
    });
  });

  const metrics = { url: "http://h", tenantLabel: "" };
  test.each<[string, object, string]>([
    ["a typo in a value", { config: { metrics }, replica: 2 }, "'replica' not allowed"],
    [
      "a typo in the configuration",
      { config: { metrics: { ...metrics, interva: "5s" } } },
      "'interva' not allowed",
    ],
    ["no store", {}, "config.metrics.url is required"],
    [
      "no tenant label",
      { config: { metrics: { url: "http://h" } } },
      "config.metrics.tenantLabel is required",
    ],
    [
      "a tenant label without the project",
      { config: { metrics: { ...metrics, tenantLabel: "project" } } },
      "config.controlPlane.projects is required",
    ],
    ["replicas without Redis", { config: { metrics }, replicas: 3 }, "replicas: 3 needs Redis"],
    [
      "two Redises",
      { config: { metrics }, redis: { install: true, url: "redis://h" } },
      "choose one Redis: redis.url and redis.install are given",
    ],
    [
      "a password in a URL",
      { config: { metrics }, redis: { url: "redis://:secret@h" } },
      "contains a password",
    ],
    [
      "a password in the configuration's URL",
      { config: { metrics, redis: { url: ["rediss://a:b@h"] } } },
      "contains a password",
    ],
    [
      "local cycles with Redis",
      { config: { metrics, export: { schedule: "local" } }, redis: { url: "redis://h" } },
      "contradicts Redis",
    ],
    ["a queue without Redis", { config: { metrics, export: { schedule: "queue" } } }, "queue needs Redis"],
    [
      "no policies",
      { config: { metrics }, clusterPolicies: false },
      "needs config.controlPlane or config.policies",
    ],
    [
      "policies of two clusters",
      { config: { metrics, controlPlane: { apiUrl: "https://h" } } },
      "set clusterPolicies: false",
    ],
    ["another state directory", { config: { metrics, state: { directory: "/state" } } }, "must be left out"],
    ["another port", { config: { metrics, ops: { listen: ":80" } } }, "must be left out"],
    [
      "a shutdown that is cut short",
      { config: { metrics, delivery: { shutdownTimeout: "30s" } } },
      "must be more than delivery.shutdownTimeout (30s)",
    ],
    ...[
      "{}",
      "{ listen: 127.0.0.1:80 }",
      "{ listen: '[::1]:80' }",
      "{ listen: ':0' }",
      "{ listen: pod:80 }",
    ].map((api): [string, object, string] => [
      `a website API that no Service reaches: ${api}`,
      { config: { metrics, api: parse(api) } },
      "config.api.listen must be a port on all addresses, such as :8080",
    ]),
    [
      "a gateway of which HTTPS is on loopback",
      { config: { metrics, gateway: { listen: ":80" } } },
      "config.gateway.tlsListen must be a port on all addresses, such as :8443",
    ],
    ...["1m", "45000ms", "0.5m", "29s1000ms", "1h"].map((shutdownTimeout): [string, object, string] => [
      `a shutdown of ${shutdownTimeout}`,
      { config: { metrics, delivery: { shutdownTimeout } } },
      `must be more than delivery.shutdownTimeout (${shutdownTimeout})`,
    ]),
    [
      "a claim for several replicas",
      { config: { metrics }, redis: { url: "redis://h" }, persistence: { existingClaim: "c" } },
      "cannot be shared",
    ],
    [
      "no service account",
      { config: { metrics }, serviceAccount: { create: false } },
      "serviceAccount.name is required",
    ],
  ])("refuses %s", async (_, values, message) => {
    expect(await refused(values)).toContain(message);
  });

  test.each(["29s", "29999ms", "29.9s", "0.4m"])("admits a shutdown of %s", async (shutdownTimeout) => {
    const file = join(home, "shutdown.values.yaml");
    await writeFile(file, stringify({ config: { metrics, delivery: { shutdownTimeout } } }));
    const result = await run(...templateArgs("telemetryd", "telemetryd", "--values", file));
    expect(result).toMatchObject({ ok: true, stderr: "" });
  });
});

/** The container's port that one of a Service or of a NetworkPolicy leads to. */
function portName({ targetPort, port }: { readonly targetPort?: string; readonly port: string }): string {
  return targetPort ?? port;
}

function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

/** What a golden file shows of an object: all but what has its source in another file, and the version. */
function golden(object: Manifest): unknown {
  const text = JSON.stringify(object).replaceAll(version, "VERSION");
  const shown = JSON.parse(
    text.replace(/"checksum\/configuration":"[0-9a-f]{64}"/, '"checksum/configuration":"SHA-256"'),
  );
  if (object.kind === "ClusterRole") shown.rules = "of files/rights.yaml";
  if (object.kind === "PrometheusRule") shown.spec = "of files/telemetryd.rules.yaml";
  return shown;
}

/** What kustomize appends to the name of a generated ConfigMap: ten of the letters that spell no word. */
const kustomizeHash = /-[bcdfghkmt2456789]{10}$/;

/** Objects by kind and name, without what Helm and kustomize add, each in its way. */
function substanceOf(objects: readonly Manifest[]): Record<string, unknown> {
  return Object.fromEntries(
    objects.map((object) => {
      const name = object.metadata.name.replace(kustomizeHash, "");
      const text = JSON.stringify(object)
        .replaceAll(object.metadata.name, name)
        .replaceAll(/"(app\.kubernetes\.io\/(instance|version|managed-by)|helm\.sh\/chart)":"[^"]*",?/g, "")
        .replaceAll(/"(checksum\/configuration|helm\.sh\/resource-policy)":"[^"]*",?/g, "")
        .replaceAll(/"imagePullPolicy":"IfNotPresent",?/g, "")
        .replaceAll(new RegExp(`${kustomizeHash.source}"`.replace("$", ""), "g"), '"')
        .replaceAll(/,\}/g, "}")
        .replaceAll(/,"(?:annotations|labels)":\{\}|"(?:annotations|labels)":\{\},?/g, "");
      const { metadata, ...rest } = JSON.parse(text);
      if (rest.data?.["telemetryd.yaml"]) rest.data["telemetryd.yaml"] = parse(rest.data["telemetryd.yaml"]);
      if (rest.data?.kubeconfig) rest.data.kubeconfig = parseAllDocuments(rest.data.kubeconfig)[0]?.toJS();
      // kustomize gives no labels to the ConfigMaps that it generates.
      const labels = object.kind === "ConfigMap" ? undefined : metadata.labels;
      return [`${object.kind} ${name}`, { ...rest, labels }];
    }),
  );
}

/** Runs telemetryd validate on the configuration, with every path of the container below a folder. */
async function validate(rendered: Rendered): Promise<{ readonly ok: boolean; readonly output: string }> {
  const { workload, container } = rendered.telemetryd;
  const files = rendered.mountedFiles(workload, container);
  const place = await mkdtemp(join(home, "container-"));
  const mounts = (container.volumeMounts ?? []).map(({ mountPath }) => mountPath);
  for (const mount of mounts) await mkdir(join(place, mount), { recursive: true });
  const config = files.get("/etc/telemetryd/telemetryd.yaml") ?? "";
  // The Secrets are not in the chart: those that the configuration names below a mount are there.
  for (const [, path = ""] of config.matchAll(/(\/etc\/telemetryd-secrets\/\S+)/g)) {
    expect(mounts).toContain(dirname(path));
    files.set(path, "secret");
  }
  for (const [path, text] of files) {
    await writeFile(join(place, path), text.replaceAll(/(?<=: )(?=\/(?:etc|data))/g, place));
  }
  const environment: Record<string, string> = {};
  for (const { name, value, valueFrom } of container["env"] ?? []) {
    environment[name] = valueFrom === undefined ? value : "redis://:secret@redis:6379";
  }
  expect(containersOf(workload).length).toBe(1);
  const args = ["--import", "tsx", "src/cli.ts", "validate", join(place, "etc/telemetryd/telemetryd.yaml")];
  const env = { ...process.env, ...environment };
  return promisify(execFile)(process.execPath, args, { cwd: root, env, timeout: 60_000 }).then(
    ({ stdout, stderr }) => ({ ok: true, output: stdout + stderr }),
    (error: { stdout: string; stderr: string }) => ({ ok: false, output: error.stdout + error.stderr }),
  );
}
