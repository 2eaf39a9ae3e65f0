import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { checkConfig } from "../../src/app/config/load.ts";
import type { Config } from "../../src/app/config/schema.ts";
import { buildOpsApp } from "../../src/app/ops/app.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { secretsOf } from "../../src/exporter/policy/spec/credentials.ts";
import { checkManifest } from "../../src/exporter/policy/spec/manifest.ts";
import { readKubeconfig } from "../../src/platform/client/api/kubeconfig.ts";
import { containersOf, type Labels, Rendered, renderKustomization } from "../support/manifests/kustomize.ts";
import { findServers } from "../support/servers.ts";

const root = resolve(import.meta.dirname, "../..");
const dockerfile = readFileSync(resolve(root, "Dockerfile"), "utf8");
const { version } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as { version: string };

/** The kinds that these manifests may contain, with their API versions. */
const apiVersions: Readonly<Record<string, string>> = {
  ClusterRole: "rbac.authorization.k8s.io/v1",
  ClusterRoleBinding: "rbac.authorization.k8s.io/v1",
  ConfigMap: "v1",
  CustomResourceDefinition: "apiextensions.k8s.io/v1",
  Deployment: "apps/v1",
  Namespace: "v1",
  NetworkPolicy: "networking.k8s.io/v1",
  PersistentVolumeClaim: "v1",
  PodDisruptionBudget: "policy/v1",
  Secret: "v1",
  Service: "v1",
  ServiceAccount: "v1",
  StatefulSet: "apps/v1",
};

let kubectl = "";
beforeAll(async () => {
  ({
    kubectl: { path: kubectl },
  } = await findServers(["kubectl"]));
}, 300_000);

test("the CRD is applied as it was generated", async () => {
  const objects = await renderKustomization(kubectl, resolve(root, "config/kubernetes/crd"));
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "CustomResourceDefinition exportpolicies.telemetry.platformapis",
  ]);
});

describe.each(["sidecar", "deployment", "fleet"])("%s", (folder) => {
  let rendered = new Rendered([]);
  let config: Config | undefined;
  let files = new Map<string, string>();

  beforeAll(async () => {
    rendered = new Rendered(await renderKustomization(kubectl, resolve(root, "config/kubernetes", folder)));
    const { workload, container } = rendered.telemetryd;
    files = rendered.mountedFiles(workload, container);
  });

  const matches = (labels: Labels, selector: Labels): boolean =>
    Object.entries(selector).every(([name, value]) => labels[name] === value);
  const podLabels = (): Labels[] =>
    rendered.workloads.map((workload) => workload["spec"].template.metadata.labels);

  test("has the kinds that it should, in the versions that a server has", () => {
    for (const { kind, apiVersion } of rendered.objects)
      expect([kind, apiVersion]).toEqual([kind, apiVersions[kind]]);
    const kinds = new Set(rendered.objects.map(({ kind }) => kind));
    for (const kind of ["ServiceAccount", "NetworkPolicy", "PodDisruptionBudget", "Service", "Namespace"]) {
      expect(kinds).toContain(kind);
    }
  });

  test("the configuration passes telemetryd's own check, and every path in it is mounted", async () => {
    const { workload, container } = rendered.telemetryd;
    const file = container.args?.[container.args.indexOf("--config") + 1] ?? "";
    const mounts = container.volumeMounts ?? [];
    const pathProblem = async (path: string, expects: string): Promise<string | undefined> => {
      if (expects === "file") return files.has(path) ? undefined : `${path} is in no ConfigMap or Secret`;
      const mount = mounts.find(({ mountPath }) => mountPath === path);
      if (mount === undefined) return `${path} is not mounted`;
      return expects === "new directory" && mount.readOnly === true ? `${path} is read-only` : undefined;
    };
    const text = files.get(file) ?? "";
    const checked = await checkConfig(text, { file, environment: {} }, pathProblem);
    expect(checked.faults).toEqual([]);
    config = checked.config;
    expect(config?.ops?.listen).toEqual({ host: "", port: 9464 });
    expect(workload["spec"].template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
      config?.delivery.shutdownTimeoutMs ?? Number.POSITIVE_INFINITY,
    );
    const limit = /^(\d+)Mi$/.exec(container["resources"].limits.memory)?.[1];
    expect(Number(limit) * 2 ** 20).toBeGreaterThan(2 * (config?.delivery.memoryLimitBytes ?? 0));
  });

  test("policies and Secrets among the mounted files have no faults", () => {
    const manifests = [...files].filter(([path]) => path.startsWith("/etc/telemetryd-policies/"));
    expect(manifests.length > 0).toBe(folder === "sidecar");
    const checked = manifests.map(([path, text]) =>
      checkManifest(text, path, { plane: "directory", unknownFields: "error" }),
    );
    expect(checked.flatMap(({ faults }) => faults)).toEqual([]);
    const secrets = checked.flatMap((each) => each.secrets.map(({ secret }) => secret.name));
    const named = checked.flatMap(({ policies }) =>
      policies.flatMap(
        ({ checked: { policy } }) =>
          policy?.sinks.flatMap((sink) => secretsOf(sink).map(({ name }) => name)) ?? [],
      ),
    );
    expect(secrets).toEqual(expect.arrayContaining(named));
  });

  test("a kubeconfig among the mounted files can be read, and uses the pod's service account", () => {
    const path = "/etc/telemetryd-kubeconfig/kubeconfig";
    const text = files.get(path);
    expect(text === undefined).toBe(folder === "sidecar");
    if (text === undefined) return;
    const folderOfToken = "/var/run/secrets/kubernetes.io/serviceaccount";
    expect(readKubeconfig(text, path)).toEqual({
      ok: true,
      access: {
        server: "https://kubernetes.default.svc",
        ca: { file: `${folderOfToken}/ca.crt` },
        insecureSkipVerify: false,
        credentials: { kind: "token-file", file: `${folderOfToken}/token` },
      },
    });
    expect(rendered.telemetryd.workload["spec"].template.spec.automountServiceAccountToken).toBe(true);
  });

  test("the service account may do what following policies takes, and no more", () => {
    const crd = rendered.of("CustomResourceDefinition")[0];
    expect(crd === undefined).toBe(folder === "sidecar");
    if (crd === undefined) return;
    const binding = rendered.find("ClusterRoleBinding", "telemetryd");
    expect(binding?.["subjects"]).toEqual([
      {
        kind: "ServiceAccount",
        name: "telemetryd",
        namespace: rendered.find("ServiceAccount", "telemetryd")?.metadata.namespace,
      },
    ]);
    const read = ["get", "list", "watch"];
    expect(rendered.find("ClusterRole", binding?.["roleRef"].name)?.["rules"]).toEqual([
      { apiGroups: [crd["spec"].group], resources: [crd["spec"].names.plural], verbs: read },
      {
        apiGroups: [crd["spec"].group],
        resources: [`${crd["spec"].names.plural}/status`],
        verbs: ["get", "patch", "update"],
      },
      { apiGroups: [""], resources: ["secrets"], verbs: read },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
    ]);
  });

  test("probes ask for what the ops address responses, at the port that it listens on", async () => {
    const app = buildOpsApp({
      listenHost: "127.0.0.1",
      hosts: [],
      status: () => ({ degraded: [] }) as never,
      readiness: () => ({ ready: true, reasons: [] }),
      degraded: () => [],
      registries: [],
      nowMs: () => 0,
      log: silentLogger,
    });
    const { container } = rendered.telemetryd;
    expect([container["livenessProbe"].httpGet.path, container["readinessProbe"].httpGet.path]).toEqual([
      "/healthz",
      "/readyz",
    ]);
    for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
      const { path, port } = container[probe].httpGet;
      expect((await app.inject(path)).statusCode).toBe(200);
      expect(container.ports?.find(({ name }) => name === port)?.containerPort).toBe(9464);
    }
    expect(dockerfile).toMatch(/^EXPOSE 9464$/m);
  });

  test("the image is the one that the Dockerfile makes, of this version, run as its user", () => {
    const { workload, container } = rendered.telemetryd;
    expect(container.image).toBe(`telemetryd:${version}`);
    expect(container.args?.[0]).toBe("run");
    const { runAsUser, runAsGroup } = workload["spec"].template.spec.securityContext;
    expect(dockerfile).toMatch(new RegExp(`^USER ${runAsUser}:${runAsGroup}$`, "m"));
  });

  test("every pod keeps to the restricted pod security standard, with a read-only root", () => {
    expect(rendered.of("Namespace")[0]?.metadata.labels).toMatchObject({
      "pod-security.kubernetes.io/enforce": "restricted",
    });
    for (const workload of rendered.workloads) {
      expect(workload["spec"].template.spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const container of containersOf(workload)) {
        expect(container["securityContext"]).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        });
        expect(container["resources"]).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
        expect(container["livenessProbe"]).toBeDefined();
        expect(container["readinessProbe"]).toBeDefined();
        expect(container.image).toMatch(/:[^:/]*\d/);
      }
    }
  });

  test("whatever is mounted, bound or selected is there", () => {
    for (const workload of rendered.workloads) {
      const { template, selector, serviceName, volumeClaimTemplates = [] } = workload["spec"];
      expect(matches(template.metadata.labels, selector.matchLabels)).toBe(true);
      if (serviceName !== undefined) expect(rendered.find("Service", serviceName)).toBeDefined();
      const account = template.spec.serviceAccountName;
      if (account !== undefined) expect(rendered.find("ServiceAccount", account)).toBeDefined();
      const volumes = [
        ...(template.spec.volumes ?? []).map(({ name }: { name: string }) => name),
        ...volumeClaimTemplates.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      ];
      const mounted = containersOf(workload).flatMap(({ volumeMounts = [] }) =>
        volumeMounts.map(({ name }) => name),
      );
      expect(new Set(mounted)).toEqual(new Set(volumes));
      for (const { configMap, secret, persistentVolumeClaim, projected } of template.spec.volumes ?? []) {
        for (const source of [{ configMap, secret }, ...(projected?.sources ?? [])]) {
          if (source.configMap) expect(rendered.find("ConfigMap", source.configMap.name)).toBeDefined();
          if (source.secret) expect(rendered.find("Secret", source.secret.name)).toBeDefined();
        }
        if (persistentVolumeClaim) {
          expect(rendered.find("PersistentVolumeClaim", persistentVolumeClaim.claimName)).toBeDefined();
        }
      }
    }
    for (const { spec } of rendered.of("PodDisruptionBudget") as never as {
      spec: { selector: { matchLabels: Labels } };
    }[]) {
      expect(podLabels().some((labels) => matches(labels, spec.selector.matchLabels))).toBe(true);
    }
    for (const policy of rendered.of("NetworkPolicy")) {
      expect(podLabels().some((labels) => matches(labels, policy["spec"].podSelector.matchLabels))).toBe(
        true,
      );
    }
  });

  test("services and network policies name ports that the pods have", () => {
    const portsOf = (selector: Labels): string[] =>
      rendered.workloads
        .filter((workload) => matches(workload["spec"].template.metadata.labels, selector))
        .flatMap((workload) =>
          containersOf(workload).flatMap(({ ports = [] }) => ports.map(({ name }) => name)),
        );
    for (const service of rendered.of("Service")) {
      const { selector, ports } = service["spec"];
      for (const { targetPort } of ports) expect(portsOf(selector)).toContain(targetPort);
    }
    for (const policy of rendered.of("NetworkPolicy")) {
      const { podSelector, ingress } = policy["spec"];
      for (const { ports } of ingress) {
        for (const { port } of ports) expect(portsOf(podSelector.matchLabels)).toContain(port);
      }
    }
  });

  test("the fleet shares its cycles through the Redis that is there", () => {
    const redis = rendered.find("Service", "telemetryd-redis");
    expect(config?.export.schedule).toBe(folder === "fleet" ? "queue" : "local");
    expect(redis !== undefined).toBe(folder === "fleet");
    if (redis === undefined) return;
    expect(config?.redis?.url).toContain(`redis://${redis.metadata.name}:${redis["spec"].ports[0].port}`);
    const settings = rendered
      .of("ConfigMap")
      .find(({ metadata }) => metadata.name.startsWith("telemetryd-redis"));
    expect(settings?.["data"]["redis.conf"]).toMatch(/^appendonly yes$/m);
    expect(settings?.["data"]["redis.conf"]).toMatch(/^maxmemory-policy noeviction$/m);
  });
});
