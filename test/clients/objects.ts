import type { KubeObject } from "../../src/kube-server/api/object.ts";
import { example } from "../support/provider/workload-cases.ts";

/** An object of a kind that a project's members write, as a manifest in git has it. */
export interface ClientObject {
  readonly plural: string;
  readonly namespaced: boolean;
  readonly manifest: KubeObject;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * One object of each writable kind.
 *
 * @param suffix of their names, so that clients do not meet
 */
export function clientObjects(suffix: string): ClientObject[] {
  const object = (apiVersion: string, kind: string, plural: string, fields: Fields): ClientObject => {
    const metadata = { name: `${plural}-${suffix}` };
    return { plural, namespaced: true, manifest: { apiVersion, kind, metadata, ...fields } as KubeObject };
  };
  const networking = (kind: string, plural: string, spec: Fields) =>
    object("networking.platformapis/v1alpha", kind, plural, { spec });
  const compute = (kind: string, plural: string, spec: unknown) =>
    object("compute.platformapis/v1alpha", kind, plural, { spec });
  const location = example("location.yaml")["spec"] as Fields;
  const workload = example("workload.yaml")["spec"] as Fields & {
    readonly template: { readonly spec: Fields };
  };
  const network = { name: `networks-${suffix}` };
  const at = { name: `locations-${suffix}`, namespace: "default" };
  const block = { subnetClass: "private", networkContext: { name: "none" }, location: at, ipFamily: "IPv4" };
  const route = {
    backendRefs: [{ group: "discovery.k8s.io", kind: "EndpointSlice", name: "none", port: 80 }],
  };
  return [
    { ...object("v1", "Namespace", "namespaces", {}), namespaced: false },
    object("v1", "Secret", "secrets", { stringData: { password: "not-a-secret" } }),
    object("v1", "ConfigMap", "configmaps", { data: { key: "value" } }),
    object("v1", "Event", "events", {
      involvedObject: { kind: "ConfigMap", name: "one", namespace: "default" },
      ...{ reason: "Tried", message: "by a client", type: "Normal" },
    }),
    object("telemetry.platformapis/v1alpha1", "ExportPolicy", "exportpolicies", {
      spec: {
        sources: [{ name: "cpu", metrics: { metricsql: "up" } }],
        sinks: [
          {
            ...{ name: "receiver", sources: ["cpu"] },
            target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/api/v1/write" } },
          },
        ],
      },
    }),
    networking("Location", "locations", location),
    networking("Network", "networks", { ipam: { mode: "Auto" } }),
    networking("NetworkPolicy", "networkpolicies", {}),
    networking("NetworkBinding", "networkbindings", { network, location: at }),
    networking("NetworkContext", "networkcontexts", { network, location: at }),
    networking("SubnetClaim", "subnetclaims", block),
    networking("Subnet", "subnets", { ...block, startAddress: "10.1.0.0", prefixLength: 24 }),
    networking("HTTPProxy", "httpproxies", {
      rules: [{ backends: [{ endpoint: "https://example.com" }] }],
    }),
    compute("Workload", "workloads", workload),
    compute("Instance", "instances", workload.template.spec),
    object("gateway.networking.k8s.io/v1", "Gateway", "gateways", {
      spec: {
        gatewayClassName: "external-global-proxy",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
    object("gateway.networking.k8s.io/v1", "HTTPRoute", "httproutes", {
      spec: { parentRefs: [{ name: "none" }], rules: [route] },
    }),
    object("gateway.networking.k8s.io/v1", "ReferenceGrant", "referencegrants", {
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "other" }],
        to: [{ group: "", kind: "Secret" }],
      },
    }),
    object("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
      addressType: "IPv4",
      endpoints: [{ addresses: ["198.51.100.1"], conditions: { ready: true } }],
      ports: [{ name: "http", port: 80 }],
    }),
    object("coordination.k8s.io/v1", "Lease", "leases", { spec: { holderIdentity: "me" } }),
  ];
}
