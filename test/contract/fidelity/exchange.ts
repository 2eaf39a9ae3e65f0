/** A request to a control plane, and what a Kubernetes API server responds to it: data, to be sent to any server. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the namespace: `configmaps`, `configmaps/a`, `exportpolicies/a/status?fieldManager=x`. */
  readonly path: string;
  /** JSON, or a text that is sent as it is. `UID` and `VERSION` stand for those of the last object. */
  readonly body?: unknown;
  readonly type?: "json" | "merge" | "strategic" | "json-patch" | "apply" | "yaml";
  readonly code: number;
  /** Of a Status. */
  readonly reason?: string;
  /** A part of the Status' message. */
  readonly message?: string;
  /** Part of the object in the response; `undefined` for a field that must not be there. */
  readonly object?: object;
  /** The fields of each manager, as `manager operation` and paths like `data.a`, `spec.sinks[name=a]`. */
  readonly managers?: Readonly<Record<string, readonly string[]>>;
  /** Parts of the warnings; [] for none. */
  readonly warnings?: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
}

export const mediaTypes: Readonly<Record<NonNullable<Exchange["type"]>, string>> = {
  json: "application/json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  "json-patch": "application/json-patch+json",
  apply: "application/apply-patch+yaml",
  yaml: "application/yaml",
};

export const configMap = (name: string, fields: object = {}, metadata: object = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name, ...metadata },
  ...fields,
});

const source = (name: string) => ({ name, metrics: { metricsql: name } });
const sink = (name: string, sources: readonly string[], more: object = {}) => ({
  name,
  sources,
  target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/api/v1/write", ...more } },
});

export interface PolicyParts {
  readonly sources?: readonly string[];
  readonly sinks?: readonly [name: string, sources: readonly string[], more?: object][];
  readonly metadata?: object;
  readonly status?: object;
}

/** An ExportPolicy with a source for each name, and sinks that use them. */
export const policy = (name: string, parts: PolicyParts = {}) => ({
  ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy" },
  metadata: { name, ...parts.metadata },
  spec: {
    sources: (parts.sources ?? ["cpu"]).map(source),
    sinks: (parts.sinks ?? [["a", ["cpu"]]]).map(([sinkName, sources, more]) =>
      sink(sinkName, sources, more),
    ),
  },
  ...(parts.status === undefined ? {} : { status: parts.status }),
});
