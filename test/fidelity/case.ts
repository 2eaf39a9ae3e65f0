import type { Json } from "../../src/platform/server/object.ts";

/**
 * What a Kubernetes API server responds to a request: one row of a table that is replayed against the
 * platform (test/contract/fidelity.test.ts) and, with `npm run test:fidelity -- --oracle`, against a real
 * API server.
 *
 * `$name` in a path or body stands for a name that is the case's own, so that cases share a server and its
 * `default` namespace. A case needs nothing but ExportPolicy, unless it says `core`.
 */
export interface FidelityCase {
  /** Unique; what reports call it. */
  readonly name: string;
  /** It is about Secret, ConfigMap, Namespace or the like, which an apiextensions-apiserver lacks. */
  readonly core?: boolean;
  /** Sent before, in this order; each must succeed. */
  readonly before?: readonly FidelityRequest[];
  readonly request: FidelityRequest;
  /** What an API server responds. */
  readonly expected: ExpectedResponse;
  /** Where the platform differs on purpose. */
  readonly platform?: { readonly why: string; readonly expected: ExpectedResponse };
}

export interface FidelityRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the control plane's address, with its query: `/api/v1/namespaces/default/secrets?limit=1`. */
  readonly path: string;
  /** `content-type` is application/json where there is a body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it stands. */
  readonly body?: Json;
}

export interface ExpectedResponse {
  readonly code: number;
  /** `reason` of a Status. */
  readonly reason?: string;
  /**
   * Fields of the body by their path (`spec.sinks[0].name`): what they are, a pattern of their text, or
   * undefined for what is not there.
   */
  readonly fields?: Readonly<Record<string, Json | RegExp | undefined>>;
  /** What the text of the body looks like. */
  readonly text?: RegExp;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /**
   * The fields of managers by `manager operation`: `data.a`, `spec.sinks[name=a]`, `metadata.finalizers[=a]`.
   */
  readonly managers?: Readonly<Record<string, readonly string[]>>;
}
