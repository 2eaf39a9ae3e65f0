import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { retryAfterMs } from "../../../base/core/retry-after.ts";
import { tlsFault } from "../../../base/core/tls-words.ts";
import { parseUrl } from "../../../base/core/url.ts";
import { MalformedResponse, type ResponseHeaders } from "../../../base/http/response-head.ts";
import { ProxyError } from "../../../base/http/tunnel.ts";
import { redact, redactBeginning } from "../../../base/log/redact.ts";
import { EgressBlockedError, type EgressScope } from "../../../base/net/egress.ts";
import { type PostResult, postLimits, ResponseTimeoutError } from "./post.ts";
import { describeProxyError } from "./proxy-error.ts";

/** Why a request is retried; used as a metric's label, so there are few values. */
export type RetryReason =
  | "server_error"
  | "too_many_requests"
  | "request_timeout"
  | "too_early"
  | "dns"
  | "connect"
  | "tls"
  | "answer_timeout"
  | "connection_lost"
  | "invalid_answer";

/**
 * Meaning of one attempt, which determines the next step. Messages are for people and contain no credentials.
 */
export type Verdict =
  | {
      readonly kind: "delivered";
      readonly status: number;
      /** Samples that the receiver reports as written; only of a receiver that speaks 2.0. */
      readonly written?: number | undefined;
      /** Samples that were sent and not written. */
      readonly unwritten?: number;
    }
  | {
      readonly kind: "retry";
      readonly reason: RetryReason;
      readonly message: string;
      /**
       * The operator's version of the message, where it says more: `message` is shown to the policy's owner.
       */
      readonly detail?: string | undefined;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      /** The receiver may have stored the request although no response arrived. */
      readonly responseLost: boolean;
    }
  /** The payload is at fault: never send the same request again. */
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly message: string;
      /** Samples that the receiver reports as written nevertheless; only of a receiver that speaks 2.0. */
      readonly written?: number | undefined;
    }
  /** The receiver limits its rate, and the policy does not repeat the request: its samples are dropped. */
  | { readonly kind: "limited"; readonly status: number; readonly message: string }
  /** The endpoint or its credentials are at fault: nothing is lost, and immediate retries would not help. */
  | {
      readonly kind: "suspended";
      readonly status: number | undefined;
      readonly message: string;
      readonly detail?: string | undefined;
      /** The receiver may have stored the request. */
      readonly responseLost?: true;
    }
  /** The endpoint resolves to a blocked address: only an edit of the policy can change that. */
  | { readonly kind: "forbidden"; readonly message: string; readonly detail?: string | undefined }
  | { readonly kind: "aborted"; readonly responseLost: boolean };

/** Context of the decision, beside the response. */
export interface AttemptContext {
  readonly endpoint: string;
  /** For a tenant's policy the message must not reveal this machine's view of its network. */
  readonly scope: EgressScope;
  /** Whether the request carried credentials; for the message. */
  readonly authenticated: boolean;
  /** The policy's `retry.retryOn429`; absent: true. */
  readonly retryOn429?: boolean | undefined;
  readonly nowMs: number;
}

/**
 * The delivery table as a pure function: only the status code and the kind of failure decide. The body is
 * merely quoted in the message.
 */
export function classify(result: PostResult, context: AttemptContext): Verdict {
  if (result.kind === "aborted") return { kind: "aborted", responseLost: result.written };
  if (result.kind === "no-response") {
    const verdict = classifyFailure(result.error, result.written);
    return context.scope === "operator" ? verdict : toldToTenants(verdict, result.error);
  }
  const { status, headers } = result;
  const written = writtenSamples(headers);
  if (status >= 200 && status < 300) return { kind: "delivered", status, written };
  const message = `${status}${quoteBody(result)}`;
  if (status === 429 && context.retryOn429 === false) {
    return { kind: "limited", status, message: `${message}: dropped, since retry.retryOn429 is false` };
  }
  const reason = retryReason(status);
  if (reason !== undefined) {
    const pauseMs = retryAfterMs(first(headers["retry-after"]), first(headers["date"]), context.nowMs);
    return {
      kind: "retry",
      reason,
      status,
      message,
      retryAfterMs: pauseMs,
      // An intermediate gateway lost the receiver's response.
      responseLost: status === 502 || status === 504,
    };
  }
  const hint = suspensionHint(status, headers, context);
  if (hint !== undefined) return { kind: "suspended", status, message: `${message}: ${hint}` };
  return { kind: "rejected", status, message, written };
}

/** See "Required Written Response Headers" in the 2.0 specification. */
function writtenSamples(headers: ResponseHeaders): number | undefined {
  const numbers = count(headers["x-prometheus-remote-write-samples-written"]);
  const histograms = count(headers["x-prometheus-remote-write-histograms-written"]);
  return numbers === undefined && histograms === undefined ? undefined : (numbers ?? 0) + (histograms ?? 0);
}

function count(header: ResponseHeaders[string]): number | undefined {
  const text = first(header)?.trim() ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function retryReason(status: number): RetryReason | undefined {
  if (status >= 500 && status < 600) return "server_error";
  if (status === 429) return "too_many_requests";
  if (status === 408) return "request_timeout";
  if (status === 425) return "too_early";
  return status < 200 || status >= 600 ? "invalid_answer" : undefined;
}

function suspensionHint(
  status: number,
  headers: ResponseHeaders,
  context: AttemptContext,
): string | undefined {
  if (status < 400) return redirectHint(first(headers["location"]), context.endpoint);
  switch (status) {
    case 401:
    case 403:
      return context.authenticated
        ? "the receiver does not accept the credentials for this address; check the Secret"
        : "the receiver wants credentials, and the sink has none; add authentication to it";
    case 402:
      return "the receiver wants to be paid; settle the account with it";
    case 404:
      return (
        "nothing takes remote write at this address; Prometheus responds with so unless it runs with " +
        "--web.enable-remote-write-receiver, and its path is /api/v1/write"
      );
    case 405:
      return "this address does not take POST requests; it is not a remote-write receiver";
    case 407:
      return "the proxy in between wants credentials";
    case 410:
      return "nothing takes remote write at this address any longer; correct the endpoint";
    case 414:
      return "the endpoint's path is too long for the receiver; make it shorter";
    case 431:
      return (
        "the request's headers are too large for the receiver; shorten its credentials and " +
        "delivery.endpoints[].headers, or raise the receiver's limit"
      );
    case 451:
      return "the receiver may not take these samples for legal reasons; ask its operator";
    default:
      return undefined;
  }
}

function redirectHint(location: string | undefined, endpoint: string): string {
  if (location === undefined) return "redirects are not followed";
  const target = parseUrl(location, endpoint)?.href ?? location;
  return `the receiver redirects to ${redact(target).slice(0, 512)}, which is not followed; make that the endpoint if it is right`;
}

const dnsCodes = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|EPROTO|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_)/;

function classifyFailure(error: unknown, written: boolean): Verdict {
  if (error instanceof ProxyError && error.status === 407) {
    return { kind: "suspended", status: 407, message: redact(describeProxyError(error)) };
  }
  const said = redact(error instanceof ProxyError ? describeProxyError(error) : describeError(error));
  const retry = (reason: RetryReason, responseLost: boolean, message = said): Verdict => ({
    kind: "retry",
    reason,
    message,
    responseLost,
  });
  if (error instanceof EgressBlockedError) {
    return { kind: "forbidden", message: `the endpoint must not be sent to: ${error.message}` };
  }
  if (error instanceof ResponseTimeoutError) return retry("answer_timeout", true);
  const code = deepCode(error) ?? "";
  // With TLS 1.3 a rejected client certificate shows only after the request was written; none of it was read.
  if (tlsCode.test(code)) return retry("tls", false);
  if (!written) return retry(dnsCodes.has(code) ? "dns" : "connect", false);
  if (error instanceof MalformedResponse) {
    return retry("invalid_answer", true, `the receiver's response cannot be read: ${said}`);
  }
  return retry("connection_lost", true);
}

const tenantMessages: Readonly<Partial<Record<RetryReason, string>>> = {
  dns: "the endpoint's name cannot be resolved",
  connect: "no connection to the endpoint can be made",
  tls: "no TLS connection to the endpoint can be made",
  connection_lost: "the connection was lost before the receiver's response had come",
  invalid_answer: "the receiver's response cannot be read",
};

/**
 * Network errors contain addresses, and names in certificates and files; a tenant sees only the kind of
 * fault.
 */
function toldToTenants(verdict: Verdict, error: unknown): Verdict {
  if (verdict.kind === "forbidden") {
    const message =
      "the endpoint must not be sent to: it leads to an address that is not a public address, or that the operator denies";
    return { ...verdict, message, detail: verdict.message };
  }
  if (verdict.kind === "suspended") {
    const message = "407: the proxy does not accept the operator's credentials";
    return { ...verdict, message, detail: verdict.message };
  }
  if (verdict.kind !== "retry") return verdict;
  const message = tenantMessages[verdict.reason];
  if (message === undefined) return verdict;
  return { ...verdict, message: message + (tlsDetail(verdict.reason, error) ?? ""), detail: verdict.message };
}

/** The receiver's own words, or the kind of fault: neither shows anything of this machine. */
function tlsDetail(reason: RetryReason, error: unknown): string | undefined {
  if (reason !== "tls") return undefined;
  const words = deepTlsFault(error);
  return words === undefined ? ` (${deepCode(error) ?? ""})` : `: ${words}`;
}

function deepTlsFault(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return deepTlsFault(error.errors[0]);
  return tlsFault(error) ?? (error instanceof Error && error.cause ? deepTlsFault(error.cause) : undefined);
}

/** Node.js and {@link ProxyError} wrap the original error; of several addresses, the first one's counts. */
function deepCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return deepCode(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error)
    return deepCode(error.cause) ?? errnoCode(error);
  return errnoCode(error);
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

const longestQuote = 1_024;

/** Quotes a response's body on one line, without characters that would disturb a terminal or a log. */
export function quoteBody({ body, isBodyCut }: PostResult & { readonly kind: "response" }): string {
  const isCut = isBodyCut === true || Buffer.byteLength(body) >= postLimits.keptBytes;
  const redacted = redactBeginning(body, isCut, longestQuote);
  // Redacted again: a receiver may have put the characters removed here into the middle of a secret.
  const text = redact(redacted.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim());
  return text === "" ? "" : ` "${text}"`;
}
