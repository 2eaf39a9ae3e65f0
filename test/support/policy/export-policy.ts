/** Parts of an ExportPolicy's manifest, as they come from YAML or JSON. */

export function source(name: string, metricsql = "up") {
  return { name, metrics: { metricsql } };
}

export function sink(name: string, sources: readonly string[] = ["a"], remoteWrite: object = {}) {
  const prometheusRemoteWrite = { endpoint: "https://h.example/push", ...remoteWrite };
  return { name, sources, target: { prometheusRemoteWrite } };
}

export function exportPolicy(spec: unknown, metadata: object = {}) {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "web", ...metadata },
    spec,
  };
}
