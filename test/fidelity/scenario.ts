import type { Json } from "../../src/kube-server/api/object.ts";
import type { ExpectedResponse, FidelityCase, FidelityRequest } from "./case.ts";

/** One of a sequence of requests about one object, and a Kubernetes API server's response. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the namespace: `configmaps`, `configmaps/a`, `exportpolicies/a/status?fieldManager=x`. */
  readonly path: string;
  /** JSON, or a string that is sent verbatim. */
  readonly body?: unknown;
  readonly type?: "json" | "merge" | "strategic" | "json-patch" | "apply" | "yaml";
  readonly code: number;
  /** The Status' reason. */
  readonly reason?: string;
  /** A part of the Status' message. */
  readonly message?: string;
  /**
   * A subset of the object in the response, with complete lists; undefined for a field that must be absent.
   */
  readonly object?: object;
  /** The fields of each manager, by `manager operation` and paths like `data.a`, `spec.sinks[name=a]`. */
  readonly managers?: Readonly<Record<string, readonly string[]>>;
  /** Substrings of the warnings; [] for none. */
  readonly warnings?: readonly string[];
  /** Set where the platform deliberately differs. */
  readonly platform?: { readonly why: string } & Partial<Pick<Exchange, "code" | "managers" | "object">>;
}

export interface Scenario {
  readonly name: string;
  readonly exchanges: readonly Exchange[];
}

const mediaTypes: Readonly<Record<NonNullable<Exchange["type"]>, string>> = {
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

/** One case per exchange of a scenario; the exchanges before it are its setup. */
export function casesOf({ name, exchanges }: Scenario): FidelityCase[] {
  const core = exchanges.some(({ path }) => path.startsWith("configmaps"));
  return exchanges.map((exchange, index) => ({
    name: `${name} (${index + 1}: ${exchange.method} ${exchange.path})`,
    core,
    ...(exchange.platform === undefined
      ? {}
      : {
          platform: {
            why: exchange.platform.why,
            expected: expectedOf({ ...exchange, ...exchange.platform }),
          },
        }),
    before: exchanges
      .slice(0, index)
      .filter(({ code }) => code < 300)
      .map(requestOf),
    request: requestOf(exchange),
    expected: expectedOf(exchange),
  }));
}

function requestOf({ method, path, body, type = "json" }: Exchange): FidelityRequest {
  const group = path.startsWith("exportpolicies") ? "/apis/telemetry.platformapis/v1alpha1" : "/api/v1";
  const request = { method, path: `${group}/namespaces/default/${path}` };
  if (body === undefined) return request;
  return { ...request, body: body as Json, headers: { "content-type": mediaTypes[type] } };
}

function expectedOf(exchange: Exchange): ExpectedResponse {
  const { code, reason, message, object = {}, managers, warnings } = exchange;
  return {
    code,
    ...(reason === undefined ? {} : { reason }),
    fields: { ...fieldsOf(object), ...(message === undefined ? {} : { message: textPattern(message) }) },
    ...(managers === undefined ? {} : { managers }),
    ...(warnings === undefined ? {} : { headers: { warning: warningPattern(warnings) } }),
  };
}

/** The leaves of a partial object by path; a list must not have further items. */
function fieldsOf(value: unknown, path = ""): Record<string, Json | undefined> {
  if (typeof value !== "object" || value === null) return { [path]: value as Json | undefined };
  const fields: Record<string, Json | undefined> = {};
  if (Array.isArray(value)) fields[`${path}[${value.length}]`] = undefined;
  for (const [name, child] of Object.entries(value)) {
    const isPlain = /^[A-Za-z]\w*$/.test(name);
    const dot = path === "" ? "" : ".";
    const step = Array.isArray(value) ? `[${name}]` : isPlain ? `${dot}${name}` : `[${JSON.stringify(name)}]`;
    Object.assign(fields, fieldsOf(child, path + step));
  }
  return fields;
}

function warningPattern(texts: readonly string[]): RegExp | undefined {
  if (texts.length === 0) return undefined;
  return new RegExp(texts.map((text) => escaped(JSON.stringify(text).slice(1, -1))).join(".*"));
}

function textPattern(text: string): RegExp {
  return new RegExp(escaped(text));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
