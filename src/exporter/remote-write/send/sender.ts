import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import type { SecretFile } from "../../../base/log/secret-file.ts";
import type { EgressScope } from "../../../base/net/egress.ts";
import type { Compression, RetrySettings } from "../../policy/spec/types.ts";
import type { Authenticated, Authentication } from "../authentication/authentication.ts";
import { hasZstd, toZstd } from "../encoding/compression.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import { classify, type Verdict } from "../transport/classify-response.ts";
import type { PostLimits, PostTarget, Transport } from "../transport/post.ts";
import { suspendingWhenBroken } from "./broken-responses.ts";
import { compressing } from "./compressing-sender.ts";
import { MetadataSender } from "./metadata-sender.ts";
import type { RemoteWriteMetrics } from "./metrics.ts";
import type { AttemptHook, AttemptSender, Sender } from "./outcome.ts";
import { ProtocolSender } from "./protocol-sender.ts";
import { RetryingSender } from "./retry.ts";
import { paced, type SamplePace } from "./sample-pace.ts";

export interface SenderTarget {
  /** Absolute http or https URL without userinfo. */
  readonly endpoint: string;
  readonly scope: EgressScope;
  readonly tenant: string;
  readonly retry: RetrySettings;
  /** Read before each attempt. The policy's own; it takes precedence over the operator's bearer token. */
  readonly authentication: () => Authentication | undefined;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bearerToken: SecretFile | undefined;
  readonly rateLimit: SamplePace | undefined;
  readonly state: EndpointState;
  readonly compression: Compression;
  readonly interrupt: () => AbortSignal;
  readonly onRetry: () => void;
  readonly onAttempt: AttemptHook;
  readonly maySend?: (() => boolean) | undefined;
  /** Called after each attempt. */
  readonly onSent?: ((request: EncodedRequest, verdict: Verdict) => void) | undefined;
}

export interface SenderDeps {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  readonly metrics: RemoteWriteMetrics;
  readonly log: Logger;
  readonly transport: Transport;
  /** `telemetryd/<version>`. */
  readonly userAgent: string;
  readonly limits: PostLimits;
}

/**
 * Assembles a sender. The layers of a request, from the outside in:
 *
 * retries -> rate limit -> observation -> protocol -> broken responses -> compression -> measurement -> HTTP
 *
 * Retries are outermost, so that each attempt waits for the rate limit; an observed attempt has its turn. The
 * protocol comes after the limit: its second request has the same samples, and is not a retry. Measurement is
 * next to the network, so that it excludes pauses.
 */
export function createSender(target: SenderTarget, deps: SenderDeps): Sender {
  const posting = new PostingSender(target, deps);
  let chain: AttemptSender = measured(posting, deps);
  const { compression: setting, state } = target;
  if (setting !== "snappy" && hasZstd) {
    const asksForZstd = (signal: AbortSignal) => posting.takesZstd(signal);
    chain = compressing(chain, { setting, toZstd, state, asksForZstd, clock: deps.clock });
  }
  chain = suspendingWhenBroken(chain, target.state);
  chain = new ProtocolSender(chain, target.state);
  chain = observed(chain, target);
  if (target.rateLimit !== undefined) chain = paced(chain, target.rateLimit);
  return new RetryingSender(chain, target.retry, {
    ...deps,
    interrupt: target.interrupt,
    onRetry: target.onRetry,
  });
}

/**
 * Assembles a sender of metadata, which has the way of samples without what its outcome must not change: the
 * sink's retries and what is known of the endpoint's protocol and sizes. It waits for its turn of the rate
 * limit, and takes none of it from samples.
 */
export function createMetadataSender(target: SenderTarget, deps: SenderDeps): MetadataSender {
  let chain: AttemptSender = new PostingSender(target, deps);
  if (target.rateLimit !== undefined) chain = paced(chain, target.rateLimit);
  return new MetadataSender(chain, { ...deps, state: target.state });
}

/** Makes one HTTP request, and classifies its response. */
class PostingSender implements AttemptSender {
  readonly #target: SenderTarget;
  readonly #deps: SenderDeps;
  readonly #url: URL;
  readonly #path: string;
  /** The target of the last request: usually the next one's too. */
  #last: LastTarget | undefined;

  constructor(target: SenderTarget, deps: SenderDeps) {
    const url = new URL(target.endpoint);
    this.#target = target;
    this.#deps = deps;
    this.#url = url;
    this.#path = url.pathname + url.search;
  }

  async attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const first = await this.#post(request, signal);
    if (!first.mayRepeat) return first.verdict;
    // Nothing of it was accepted: once more with a new token.
    return (await this.#post(request, signal)).verdict;
  }

  /**
   * The handshake of VictoriaMetrics' agents: a receiver that takes their form of remote write responds with
   * the number 1. It has no samples.
   *
   * @returns undefined when there is no response
   */
  async takesZstd(signal: AbortSignal): Promise<boolean | undefined> {
    const { transport, limits } = this.#deps;
    const path = `${this.#path}${this.#url.search === "" ? "?" : "&"}get_vm_proto_version=1`;
    const body = Buffer.alloc(0);
    const authenticated = await this.#authenticate("zstd", path, body, signal);
    if (authenticated.kind !== "headers") return undefined;
    const headers = { ...this.#headersOf("zstd"), ...authenticated.headers };
    const { tenant } = this.#target;
    const target = { origin: this.#url.origin, path, headers };
    const result = await transport.post({ target, body, tenant }, limits, signal);
    if (result.kind !== "response" || result.status >= 500) return undefined;
    return result.status === 200 && result.body.trim() === "1";
  }

  async #post(
    { protocol, compression, payload }: EncodedRequest,
    signal: AbortSignal,
  ): Promise<{ readonly verdict: Verdict; readonly mayRepeat?: boolean }> {
    const { transport, clock, limits } = this.#deps;
    const { endpoint, scope, tenant, maySend } = this.#target;
    const form = compression ?? protocol;
    const authenticated = await this.#authenticate(form, this.#path, payload, signal);
    if (authenticated.kind === "aborted" || signal.aborted) {
      return { verdict: { kind: "aborted", responseLost: false } };
    }
    if (authenticated.kind === "unavailable") return { verdict: authenticated.verdict };
    const target = this.#targetOf(form, authenticated.headers);
    const result = await transport.post({ target, body: payload, tenant, maySend }, limits, signal);
    const context = {
      endpoint,
      scope,
      authenticated: authenticated.headers !== noHeaders,
      retryOn429: this.#target.retry.retryOn429,
      nowMs: clock.nowMs(),
    };
    const verdict = classify(result, context);
    const isRefused = verdict.kind === "suspended" && (verdict.status === 401 || verdict.status === 403);
    return { verdict, mayRepeat: isRefused && authenticated.refused?.() === true };
  }

  #targetOf(form: WireForm, authentication: Headers): PostTarget {
    const last = this.#last;
    if (last?.form === form && isDeepStrictEqual(last.authentication, authentication)) return last.target;
    const headers = { ...this.#headersOf(form), ...authentication };
    const target = { origin: this.#url.origin, path: this.#path, headers };
    this.#last = { form, authentication, target };
    return target;
  }

  #headersOf(form: WireForm): Headers {
    // Ours last: a configured header never replaces one that the protocol requires.
    return {
      ...this.#target.headers,
      ...formHeaders[form],
      "user-agent": this.#deps.userAgent,
    };
  }

  async #authenticate(
    form: WireForm,
    path: string,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<Authenticated> {
    const authentication = this.#target.authentication();
    if (authentication !== undefined) {
      const request = { host: this.#url.host, path, headers: this.#headersOf(form), body };
      return await authentication.authenticate(request, signal);
    }
    const { bearerToken } = this.#target;
    if (bearerToken === undefined) return { kind: "headers", headers: noHeaders };
    try {
      return { kind: "headers", headers: { authorization: `Bearer ${await bearerToken.value(signal)}` } };
    } catch (error) {
      // Without the token the response would be 401 at best. The operator has to act; no data is lost.
      const detail = redact(error instanceof Error ? error.message : String(error));
      const message =
        this.#target.scope === "operator" ? detail : "the operator's token for this endpoint cannot be read";
      return { kind: "unavailable", verdict: { kind: "suspended", status: undefined, message, detail } };
    }
  }
}

type Headers = Readonly<Record<string, string>>;

const noHeaders: Headers = {};

/** What a request's body is, which its headers say. */
type WireForm = EncodedRequest["protocol"] | "zstd";

interface LastTarget {
  readonly form: WireForm;
  readonly authentication: Headers;
  readonly target: PostTarget;
}

/**
 * See "Protocol" (1.0) and "HTTP headers" (2.0) in the specifications. VictoriaMetrics' form is 1.0 with
 * another compression.
 */
const formHeaders = {
  "1.0": {
    "content-encoding": "snappy",
    "content-type": "application/x-protobuf",
    "x-prometheus-remote-write-version": "0.1.0",
  },
  "2.0": {
    "content-encoding": "snappy",
    "content-type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
    "x-prometheus-remote-write-version": "2.0.0",
  },
  zstd: {
    "content-encoding": "zstd",
    "content-type": "application/x-protobuf",
    "x-victoriametrics-remote-write-version": "1",
  },
} as const;

function measured(inner: AttemptSender, { clock, metrics }: SenderDeps): AttemptSender {
  return {
    async attempt(request, signal) {
      const startMs = clock.monotonicMs();
      const verdict = await inner.attempt(request, signal);
      metrics.attempt(verdict, clock.monotonicMs() - startMs, request.payload.length);
      return verdict;
    },
  };
}

/** Calls the target's hooks when an attempt begins and when it ends. */
function observed(inner: AttemptSender, target: SenderTarget): AttemptSender {
  return {
    async attempt(request, signal) {
      const end = target.onAttempt();
      // Attempts do not reject but for internal errors, which end the cycle.
      const verdict = await inner.attempt(request, signal);
      end(verdict);
      target.onSent?.(request, verdict);
      return verdict;
    },
  };
}
