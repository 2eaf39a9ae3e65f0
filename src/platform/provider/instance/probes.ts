import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { numberAt, objectsAt, textAt, textsAt } from "../plane/plane-object.ts";
import { probeNames, type RuntimeContainer, type RuntimeProbe } from "../runtime/runtime.ts";

/** A probe holds a place for others while it waits. */
const maxTimeoutSeconds = 60;

/** The probes of a container; undefined if it has none. */
export function probesOf(container: Record<string, unknown>): RuntimeContainer["probes"] {
  const probes = probeNames.flatMap((name) => {
    const spec = container[`${name}Probe`];
    const probe = isObject(spec) ? probeOf(spec, container) : undefined;
    return probe === undefined ? [] : [[name, probe] as const];
  });
  return probes.length === 0 ? undefined : Object.fromEntries(probes);
}

function probeOf(
  spec: Record<string, unknown>,
  container: Record<string, unknown>,
): RuntimeProbe | undefined {
  const check = checkOf(spec, container);
  if (check === undefined) return undefined;
  // Zero means the default, as in Kubernetes.
  const positive = (name: string, usual: number): number => Math.max(0, numberAt(spec, name) ?? 0) || usual;
  return {
    check,
    initialDelayMs: Math.max(0, numberAt(spec, "initialDelaySeconds") ?? 0) * 1_000,
    timeoutMs: Math.min(positive("timeoutSeconds", 1), maxTimeoutSeconds) * 1_000,
    periodMs: positive("periodSeconds", 10) * 1_000,
    successThreshold: positive("successThreshold", 1),
    failureThreshold: positive("failureThreshold", 3),
  };
}

function checkOf(
  { httpGet, tcpSocket, exec }: Record<string, unknown>,
  container: Record<string, unknown>,
): RuntimeProbe["check"] | undefined {
  if (isObject(exec)) return { kind: "exec", command: textsAt(exec, "command") };
  const handler = isObject(httpGet) ? httpGet : isObject(tcpSocket) ? tcpSocket : {};
  const named = objectsAt(container, "ports").find(({ name }) => name === handler["port"]);
  const port = named === undefined ? handler["port"] : named["port"];
  // The name of no port of the container: nothing listens there.
  const number = typeof port === "number" ? port : 0;
  if (!isObject(httpGet)) return isObject(tcpSocket) ? { kind: "tcp", port: number } : undefined;
  const headers = objectsAt(httpGet, "httpHeaders").map((each) => [
    textAt(each, "name") ?? "",
    textAt(each, "value") ?? "",
  ]);
  const path = textAt(httpGet, "path") ?? "/";
  return {
    kind: "http",
    port: number,
    path: path.startsWith("/") ? path : `/${path}`,
    isTls: httpGet["scheme"] === "HTTPS",
    headers: Object.fromEntries(headers),
  };
}
