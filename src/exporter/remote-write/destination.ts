import type { EgressScope } from "../../base/net/egress.ts";
import type { Compression, Credentials, RetrySettings } from "../policy/spec/types.ts";
import type { RelabelRule } from "../relabel/rule.ts";
import { isOfEnvironment } from "./authentication/authentication.ts";
import type { LabelShape, SeriesEncoder } from "./encoding/labels.ts";
import type { CapacityListener, RequestBuilder } from "./encoding/request.ts";
import type { MetadataLookup } from "./encoding/write-request-v2.ts";
import type { EndpointSettings } from "./endpoint/endpoint-settings.ts";
import type { EndpointState } from "./endpoint/endpoint-state.ts";
import type { MetadataSender } from "./send/metadata-sender.ts";
import type { AttemptHook, Sender } from "./send/outcome.ts";
import type { SenderTarget } from "./send/sender.ts";

/** A sink's target. */
export interface EndpointRequest {
  /** Absolute http or https URL without userinfo. */
  readonly endpoint: string;
  readonly scope: EgressScope;
  /** See {@link LabelShape}. */
  readonly tenantLabel?: string | undefined;
  /** The sink's tenant: tenants share no endpoint state, and take turns for scarce resources. */
  readonly tenant: string;
  /**
   * Type, help and unit of metrics, for protocol 2.0. Only the names of the sink's own series are looked up.
   */
  readonly metadataOf?: MetadataLookup | undefined;
  readonly retry: RetrySettings;
  /** Absent: as configured, or snappy. */
  readonly compression?: Compression | undefined;
  /** The sink's own rules; see {@link LabelShape}. */
  readonly relabel?: readonly RelabelRule[] | undefined;
  /** Read before each attempt, so that a rotated Secret applies from the next request on. */
  readonly credentials: () => Credentials | undefined;
  /** The policy's own, by names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called before each pause between attempts: its abort ends the pause, and prevents further attempts. */
  readonly interrupt: () => AbortSignal;
  /** Called before each repeated attempt. */
  readonly onRetry?: () => void;
  readonly onAttempt?: AttemptHook;
  /** Asked right before each request is written; false prevents it. */
  readonly maySend?: () => boolean;
  /** Called after each attempt with its request. */
  readonly onSent?: SenderTarget["onSent"];
}

/** An endpoint with its settings, state and transports: what a sink's exporter sends to. */
export interface Destination {
  readonly kind: "destination";
  readonly sender: Sender;
  readonly state: EndpointState;
  /** Call it for each sending: most cycles send no metadata. Absent: none is ever sent. */
  metadataSender?(): MetadataSender;
  /** An encoder for the endpoint's current protocol and names: call it for each window, together with the builder. */
  encoder(): SeriesEncoder;
  newBuilder(onCapacity?: CapacityListener): RequestBuilder;
}

/** The endpoint's configuration is unusable: condition InvalidTarget. */
export interface InvalidEndpoint {
  readonly kind: "invalid";
  readonly message: string;
}

/**
 * Where the operator's credentials are used for a tenant, the tenant's headers must not choose on whose
 * behalf; and the environment's credentials are the operator's.
 */
export function trustProblem(
  { scope, headers, credentials }: EndpointRequest,
  settings: EndpointSettings | undefined,
): string | undefined {
  const { bearerTokenFile, tls, headers: own = {} } = settings ?? {};
  const isTrusted =
    bearerTokenFile !== undefined || tls?.certFile !== undefined || Object.keys(own).length > 0;
  if (scope === "tenant" && isTrusted && headers !== undefined) {
    return "headers must not be set for this endpoint, since the operator's credentials are used for it";
  }
  const used = credentials();
  if (used === undefined || settings?.environmentCredentials === true || !isOfEnvironment(used))
    return undefined;
  return `authentication.${used.kind} needs a secretRef, or the operator's permission (delivery.endpoints[].environmentCredentials)`;
}
