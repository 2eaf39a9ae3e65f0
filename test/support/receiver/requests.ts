import { systemClock } from "../../../src/base/core/clock.ts";
import { ConnectionBudget } from "../../../src/base/http/connection-budget.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { EgressGuard, type EgressScope } from "../../../src/base/net/egress.ts";
import type { Lookup } from "../../../src/base/net/guarded-lookup.ts";
import { TlsMaterial, type TlsSettings } from "../../../src/base/net/tls-material.ts";
import type { EncodedRequest } from "../../../src/exporter/remote-write/encoding/request.ts";
import { EndpointState } from "../../../src/exporter/remote-write/endpoint/endpoint-state.ts";
import { RemoteWriteMetrics } from "../../../src/exporter/remote-write/send/metrics.ts";
import type { SenderDeps, SenderTarget } from "../../../src/exporter/remote-write/send/sender.ts";
import { classify, type Verdict } from "../../../src/exporter/remote-write/transport/classify-response.ts";
import {
  postLimits,
  type TransportLimits,
  transportLimits,
} from "../../../src/exporter/remote-write/transport/post.ts";
import { HttpTransport } from "../../../src/exporter/remote-write/transport/transport.ts";
import { type Label, Series } from "../../../src/exporter/series/series.ts";
import { systemLookup } from "../net/lookup.ts";
import { bufferOf } from "../store/series.ts";
import { requestOf } from "./encoded.ts";

/** Requests and senders for tests of delivery, created by the daemon's own code. */
export interface TestSeries {
  readonly labels: readonly Label[];
  /** Oldest first; NaN represents a staleness marker. */
  readonly samples: readonly { readonly timestampMs: number; readonly value: number }[];
}

export const never: AbortSignal = new AbortController().signal;

export function encodeRequest(list: readonly TestSeries[]): EncodedRequest {
  const parts = list.map(({ labels, samples }) => {
    const series = new Series([...labels].sort((a, b) => (a.name < b.name ? -1 : 1)));
    return [series, bufferOf(samples.map(({ timestampMs, value }) => [timestampMs, value]))] as const;
  });
  return requestOf(parts);
}

/** This many series of one sample each. */
export function smallRequest(seriesCount = 1, timestampMs = 1_760_000_000_000): EncodedRequest {
  const list = Array.from({ length: seriesCount }, (_, index) => ({
    labels: [
      { name: "__name__", value: "up" },
      { name: "n", value: String(index) },
    ],
    samples: [{ timestampMs, value: 1.5 }],
  }));
  return encodeRequest(list);
}

/** A target with two attempts and a minimal backoff, with overrides. */
export function testTarget(target: Partial<SenderTarget> & { endpoint: string }): SenderTarget {
  return {
    scope: "operator",
    tenant: "project",
    retry: { maxAttempts: 2, backoffMs: 10 },
    authentication: () => undefined,
    headers: {},
    compression: "snappy",
    bearerToken: undefined,
    rateLimit: undefined,
    state: new EndpointState("1.0"),
    interrupt: () => never,
    onRetry: () => undefined,
    onAttempt: () => () => undefined,
    ...target,
  };
}

export function testDeps(deps: Partial<SenderDeps> & Pick<SenderDeps, "transport">): SenderDeps {
  return {
    clock: systemClock,
    random: Math.random,
    metrics: new RemoteWriteMetrics(),
    log: silentLogger,
    userAgent: "telemetryd/0.0.0",
    limits: postLimits,
    ...deps,
  };
}

/** What a response of this status means. */
export function verdictOf(status: number, body = ""): Verdict {
  const context = { endpoint: "http://receiver.test/write", authenticated: false, nowMs: 0 };
  return classify({ kind: "response", status, headers: {}, body }, { ...context, scope: "operator" });
}

export interface TransportChanges extends Partial<TransportLimits> {
  readonly scope?: EgressScope;
  readonly tls?: TlsSettings;
  readonly lookup?: Lookup;
  readonly proxyUrl?: string | undefined;
}

/** A transport with the default rules, for the operator's policies unless `scope` says otherwise. */
export function testTransport({
  scope = "operator",
  tls = {},
  lookup = systemLookup(),
  proxyUrl,
  ...limits
}: TransportChanges = {}): HttpTransport {
  return new HttpTransport({
    ...{ lookup, proxyUrl, limits: { ...transportLimits, ...limits } },
    guard: new EgressGuard({ deny: [], allow: [] }, scope),
    tls: new TlsMaterial(tls),
    budget: new ConnectionBudget(Number.POSITIVE_INFINITY),
  });
}
