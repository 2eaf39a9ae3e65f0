import { z } from "zod";
import type { Clock } from "../../../base/core/clock.ts";
import { liveSecrets } from "../../../base/log/live-secrets.ts";
import { redact } from "../../../base/log/redact.ts";
import type { EgressScope } from "../../../base/net/egress.ts";
import { classify, quoteBody, type Verdict } from "../transport/classify-response.ts";
import type { PostLimits, PostResult, Transport } from "../transport/post.ts";
import type { Fetched } from "./renewed-value.ts";

/** What requests for tokens need, for one sink. */
export interface TokenRequestDeps {
  /** To the token endpoint, with the operator's settings for it and the checks of its address. */
  readonly transportTo: (url: string) => Transport | { readonly problem: string };
  readonly scope: EgressScope;
  readonly tenant: string;
  readonly userAgent: string;
  readonly clock: Clock;
}

export interface FormRequest {
  /** Absolute http or https URL. */
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Tokens are some KiB; claims can make them longer. */
const tokenLimits: PostLimits = {
  startMs: 10_000,
  headersMs: 20_000,
  bodyMs: 5_000,
  bodyBytes: 65_536,
  keptBytes: 65_536,
};

const never = new AbortController().signal;

/** Of every request of {@link postForm}. */
export function formHeaders({ userAgent }: Pick<TokenRequestDeps, "userAgent">): Record<string, string> {
  return {
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    "user-agent": userAgent,
  };
}

/** Sends a form. @returns the response's body, or why there is none */
export async function postForm(
  { url, form, headers }: FormRequest,
  deps: TokenRequestDeps,
): Promise<
  Fetched<string> | { readonly kind: "refused"; readonly status: number; readonly message: string }
> {
  const transport = deps.transportTo(url);
  if ("problem" in transport) return unavailable(transport.problem);
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search, headers: { ...headers, ...formHeaders(deps) } };
  const body = Buffer.from(new URLSearchParams(form).toString());
  const result = await transport.post({ target, body, tenant: deps.tenant }, tokenLimits, never);
  if (result.kind === "response" && result.status >= 200 && result.status < 300) {
    return result.isBodyCut === true
      ? unavailable("the token endpoint's response is longer than 64 KiB")
      : { kind: "value", value: result.body };
  }
  return failure(result, url, deps);
}

function failure(result: PostResult, url: string, { scope, clock }: TokenRequestDeps) {
  const verdict = classify(result, { endpoint: url, scope, authenticated: true, nowMs: clock.nowMs() });
  const prefixed = (message: string) =>
    `the token request to ${redact(new URL(url).origin)} failed: ${message}`;
  switch (verdict.kind) {
    case "retry":
    case "forbidden": {
      const { message, detail } = verdict;
      const texts = { message: prefixed(message), detail: detail && prefixed(detail) };
      // No sample was sent.
      const ours: Verdict =
        verdict.kind === "retry" ? { ...verdict, ...texts, responseLost: false } : { ...verdict, ...texts };
      return { kind: "unavailable", verdict: ours } as const;
    }
    case "rejected":
    case "suspended": {
      const status = verdict.status ?? 0;
      const said = result.kind === "response" ? `${status}${quoteBody(result)}` : verdict.message;
      return { kind: "refused", status, message: prefixed(said) } as const;
    }
    default:
      return unavailable(prefixed("it was interrupted"));
  }
}

/** Only a change of the policy, of its Secret or of the endpoint helps. */
export function unavailable(message: string): Fetched<never> {
  return { kind: "unavailable", verdict: { kind: "suspended", status: undefined, message } };
}

const tokenResponse = z.object({
  // RFC 6750, section 2.1.
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  // Some servers write a number as text.
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});

/** The access token of a token endpoint's response (RFC 6749, section 5.1). */
export function accessTokenOf(body: string): Fetched<string> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return unavailable("the token endpoint's response is not JSON");
  }
  const { data } = tokenResponse.safeParse(json);
  if (data === undefined) return unavailable("the token endpoint's response has no bearer token");
  const { access_token: value, expires_in: seconds } = data;
  return { kind: "value", value, lifetimeMs: seconds === undefined ? undefined : seconds * 1_000 };
}

/** Has a fetched secret masked in all output. */
export function held<T>(owner: string, fetched: Fetched<T>, secretsOf: (value: T) => string[]): Fetched<T> {
  if (fetched.kind === "value") liveSecrets.hold(owner, secretsOf(fetched.value));
  return fetched;
}
