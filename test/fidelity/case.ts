import type { Json } from "../../src/kube-server/api/object.ts";

/**
 * A Kubernetes API server's response to a request: one row of a table that is replayed against the platform
 * (test/contract/fidelity.test.ts) and, with `npm run prove -- fidelity --oracle`, against a real API server.
 *
 * `$name` in a path or body represents a name unique to the case, so that cases can share a server and its
 * `default` namespace. A case uses only ExportPolicy, unless `core` is set.
 */
export interface FidelityCase {
  /** Unique; used in reports. */
  readonly name: string;
  /** Uses Secret, ConfigMap, Namespace or similar, which an apiextensions-apiserver lacks. */
  readonly core?: boolean;
  /** Requests sent first, in this order; each must succeed. */
  readonly before?: readonly FidelityRequest[];
  readonly request: FidelityRequest;
  /** An API server's response. */
  readonly expected: ExpectedResponse;
  /** Set where the platform deliberately differs. */
  readonly platform?: { readonly why: string; readonly expected: ExpectedResponse };
}

export interface FidelityRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query relative to the control plane's address: `/api/v1/namespaces/default/secrets?limit=1`. */
  readonly path: string;
  /** `content-type` defaults to application/json when there is a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent verbatim. */
  readonly body?: Json;
}

export interface ExpectedResponse {
  readonly code: number;
  /** The Status' `reason`. */
  readonly reason?: string;
  /**
   * Fields of the body by path (`spec.sinks[0].name`): the value, a pattern for its text, or undefined for a
   * field that must be absent.
   */
  readonly fields?: Readonly<Record<string, Json | RegExp | undefined>>;
  /** A pattern for the text of the body. */
  readonly text?: RegExp;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /** Managed fields by `manager operation`: `data.a`, `spec.sinks[name=a]`, `metadata.finalizers[=a]`. */
  readonly managers?: Readonly<Record<string, readonly string[]>>;
}
