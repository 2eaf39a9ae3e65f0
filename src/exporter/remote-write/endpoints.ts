import type { Clock } from "../../base/core/clock.ts";
import { ConnectionBudget } from "../../base/http/connection-budget.ts";
import { NameResolver } from "../../base/http/names/name-resolver.ts";
import { liveSecrets } from "../../base/log/live-secrets.ts";
import type { Logger } from "../../base/log/log.ts";
import { SecretFile } from "../../base/log/secret-file.ts";
import { secretsByName, secretsOfUrl } from "../../base/log/secret-values.ts";
import { EgressGuard, type EgressRules, type EgressScope } from "../../base/net/egress.ts";
import { bypassesProxy } from "../../base/net/no-proxy.ts";
import { TlsMaterial } from "../../base/net/tls-material.ts";
import { Authentications } from "./authentication/authentication.ts";
import { type Destination, type EndpointRequest, type InvalidEndpoint, trustProblem } from "./destination.ts";
import { hasZstd } from "./encoding/compression.ts";
import type { Names } from "./encoding/label-names.ts";
import { type LabelShape, seriesEncoderFor } from "./encoding/labels.ts";
import { WriteRequestBuilder } from "./encoding/write-request.ts";
import { WriteRequestV2Builder } from "./encoding/write-request-v2.ts";
import { type EndpointSettings, settingsFor, settingsOfScope } from "./endpoint/endpoint-settings.ts";
import { EndpointState, type ProtocolSetting } from "./endpoint/endpoint-state.ts";
import { builtCompression } from "./send/compressing-sender.ts";
import type { RemoteWriteMetrics } from "./send/metrics.ts";
import type { AttemptHook } from "./send/outcome.ts";
import { SamplePace } from "./send/sample-pace.ts";
import { createMetadataSender, createSender, type SenderDeps, type SenderTarget } from "./send/sender.ts";
import {
  type PostLimits,
  postLimits,
  type Transport,
  type TransportLimits,
  transportLimits,
} from "./transport/post.ts";
import { HttpTransport } from "./transport/transport.ts";

/** The parts of the configuration that delivery over HTTP needs. */
export interface EndpointsConfig {
  /** `delivery.endpoints` */
  readonly endpoints: readonly EndpointSettings[];
  /** `delivery.protocol` */
  readonly protocol: ProtocolSetting;
  /** `delivery.maxConnections` */
  readonly maxConnections?: number;
  readonly egress: EgressRules & {
    readonly trustProxy: boolean;
    /** `address` or `address:port`; the system's if absent. */
    readonly nameServers?: readonly string[];
  };
}

interface EndpointsDeps {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly metrics: RemoteWriteMetrics;
  readonly log: Logger;
  /** `telemetryd/<version>`. */
  readonly userAgent: string;
  /** The environment's `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  readonly postLimits?: PostLimits;
  readonly transportLimits?: TransportLimits;
}

const unobserved: AttemptHook = () => () => undefined;

/** Resources shared by the sinks of one scope under one urlPrefix (or under none). */
interface Group {
  /** Unique to the scope and the prefix. */
  readonly key: string;
  readonly settings: EndpointSettings | undefined;
  readonly tls: TlsMaterial;
  readonly bearerToken: SecretFile | undefined;
  /** The rate limit of the prefix, shared by all scopes. */
  readonly rateLimit: SamplePace | undefined;
}

/** Maximum number of endpoints whose state is kept; the state of the oldest is detected again. */
const maxStates = 20_000;

/**
 * All destinations of the process: settings by URL prefix, shared connections, and the state of each
 * endpoint. Recreated when the configuration is reloaded.
 */
export class Endpoints {
  readonly #config: EndpointsConfig;
  readonly #deps: EndpointsDeps;
  readonly #groups = new Map<string, Group>();
  readonly #rateLimits = new Map<EndpointSettings, SamplePace>();
  readonly #transports = new Map<string, Transport>();
  readonly #states = new Map<string, EndpointState>();
  readonly #names: NameResolver;
  readonly #authentications = new Authentications();
  #hasWarnedOfZstd = false;
  readonly #budget: ConnectionBudget;

  constructor(config: EndpointsConfig, deps: EndpointsDeps) {
    this.#config = config;
    this.#deps = deps;
    this.#budget = new ConnectionBudget(config.maxConnections ?? Number.POSITIVE_INFINITY);
    this.#names = new NameResolver({ clock: deps.clock, servers: config.egress.nameServers ?? [] });
  }

  destinationOf(request: EndpointRequest): Destination | InvalidEndpoint {
    const group = this.#groupOf(settingsFor(request.endpoint, this.#config.endpoints), request.scope);
    const { settings } = group;
    const transport = this.#transportOf(group, request.endpoint, request.scope);
    if ("problem" in transport) return { kind: "invalid", message: transport.problem };
    const problem = trustProblem(request, settings);
    if (problem !== undefined) return { kind: "invalid", message: problem };
    const state = this.#stateOf(request, settings?.protocol ?? this.#config.protocol, settings?.names);
    const { clock, random, metrics, log, userAgent } = this.#deps;
    const { scope, tenant } = request;
    const transportTo = (url: string) => this.#transportTo(url, scope);
    const tokens = { scope, tenant, clock, userAgent, transportTo };
    const compression = request.compression ?? settings?.compression ?? "snappy";
    if (compression !== "snappy" && !hasZstd && !this.#hasWarnedOfZstd) {
      this.#hasWarnedOfZstd = true;
      log.warn(
        { node: process.version },
        "this Node.js has no zstd (22.15 and newer have it): snappy is used",
      );
    }
    const target: SenderTarget = {
      endpoint: request.endpoint,
      scope: request.scope,
      tenant: request.tenant,
      retry: request.retry,
      authentication: () => {
        const credentials = request.credentials();
        return credentials && this.#authentications.of(credentials, tokens);
      },
      interrupt: request.interrupt,
      onRetry: request.onRetry ?? (() => undefined),
      onAttempt: request.onAttempt ?? unobserved,
      maySend: request.maySend,
      onSent: request.onSent,
      // The operator's take precedence.
      headers: { ...request.headers, ...lowerCase(settings?.headers ?? {}) },
      bearerToken: group.bearerToken,
      rateLimit: group.rateLimit,
      state,
      compression,
    };
    const deps: SenderDeps = {
      clock,
      random,
      metrics,
      log,
      userAgent,
      transport,
      limits: this.#deps.postLimits ?? postLimits,
    };
    const { externalLabels = {}, dropLabels = [] } = settings ?? {};
    return {
      kind: "destination",
      sender: createSender(target, deps),
      metadataSender: () => createMetadataSender(target, deps),
      state,
      encoder: () =>
        seriesEncoderFor({
          externalLabels,
          dropLabels,
          tenantLabel: request.tenantLabel,
          relabel: request.relabel,
          endpointRelabel: settings?.relabel,
          protocol: state.protocol,
          names: state.names,
        } satisfies LabelShape),
      newBuilder: (onCapacity) =>
        state.protocol === "1.0"
          ? new WriteRequestBuilder(onCapacity, () => builtCompression(compression, state))
          : new WriteRequestV2Builder(request.metadataOf, onCapacity),
    };
  }

  /** Ends all connections, including open requests. May be called twice. */
  async close(): Promise<void> {
    const transports = [...this.#transports.values()];
    this.#transports.clear();
    this.#names.close();
    await Promise.all(transports.map((transport) => transport.close()));
  }

  /** To the endpoint of a token, which may have settings of its own. */
  #transportTo(url: string, scope: EgressScope): Transport | { readonly problem: string } {
    return this.#transportOf(this.#groupOf(settingsFor(url, this.#config.endpoints), scope), url, scope);
  }

  #transportOf(group: Group, url: string, scope: EgressScope): Transport | { readonly problem: string } {
    const proxyUrl = this.#proxyFor(url, group.settings);
    if (proxyUrl === undefined || this.#config.egress.trustProxy)
      return this.#transportFor(group, scope, proxyUrl);
    const problem =
      "the endpoint's proxy hides the address that is connected to; egress.trustProxy must allow that";
    return { problem };
  }

  #proxyFor(endpoint: string, settings: EndpointSettings | undefined): string | undefined {
    if (!settings?.proxyUrl) return undefined;
    return bypassesProxy(new URL(endpoint), this.#deps.noProxy ?? "") ? undefined : settings.proxyUrl;
  }

  #groupOf(entry: EndpointSettings | undefined, scope: EgressScope): Group {
    const index = entry === undefined ? -1 : this.#config.endpoints.indexOf(entry);
    const key = `${index} ${scope}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      const settings = entry && settingsOfScope(entry, scope);
      if (settings !== undefined) {
        const secrets = [...secretsByName(settings.headers), ...secretsOfUrl(settings.proxyUrl)];
        liveSecrets.hold(`delivery.endpoints ${settings.urlPrefix} ${scope}`, secrets);
      }
      group = {
        key,
        settings,
        tls: new TlsMaterial(settings?.tls ?? {}),
        bearerToken: settings?.bearerTokenFile
          ? new SecretFile(settings.bearerTokenFile, this.#deps.clock)
          : undefined,
        rateLimit: entry && this.#rateLimitOf(entry),
      };
      this.#groups.set(key, group);
    }
    return group;
  }

  #rateLimitOf(entry: EndpointSettings): SamplePace | undefined {
    if (entry.maxSamplesPerSecond === 0) return undefined;
    let limit = this.#rateLimits.get(entry);
    if (limit === undefined) {
      limit = new SamplePace(entry.maxSamplesPerSecond, this.#deps.clock);
      this.#rateLimits.set(entry, limit);
    }
    return limit;
  }

  /**
   * State is per tenant: a gateway may treat each tenant differently, as for 413 or missing support for 2.0.
   */
  #stateOf(
    { endpoint, tenant }: EndpointRequest,
    protocol: ProtocolSetting,
    names: Names | undefined,
  ): EndpointState {
    const key = `${tenant} ${endpoint}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      const oldest = this.#states.size >= maxStates ? this.#states.keys().next().value : undefined;
      if (oldest !== undefined) this.#states.delete(oldest);
      state = new EndpointState(protocol, names);
      this.#states.set(key, state);
    }
    return state;
  }

  /**
   * A connection of the operator's policies must not serve a tenant's: its address was checked differently.
   */
  #transportFor(group: Group, scope: EgressScope, proxyUrl: string | undefined): Transport {
    const key = `${group.key} ${proxyUrl ?? ""}`;
    let transport = this.#transports.get(key);
    if (transport === undefined) {
      transport = new HttpTransport({
        limits: this.#deps.transportLimits ?? transportLimits,
        guard: new EgressGuard(this.#config.egress, scope),
        tls: group.tls,
        lookup: (name, tenant) => this.#names.lookup(name, tenant),
        budget: this.#budget,
        proxyUrl,
      });
      this.#transports.set(key, transport);
    }
    return transport;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
