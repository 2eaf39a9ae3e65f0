import { type Dispatcher, request } from "undici";
import { describeError } from "../../../base/core/errors.ts";
import { withLimit } from "../../../base/core/signals.ts";
import { isUntrusted } from "../../../base/core/tls-words.ts";

/** A bearer token and, if known, its expiry. */
export interface Bearer {
  readonly text: string;
  /** From the `exp` claim if the token is a JWT. */
  readonly expiresMs?: number | undefined;
}

/** `denied`: the platform rejects the Personal Access Token. `failed`: no usable response; retry. */
export type ExchangeOutcome =
  | { readonly outcome: "exchanged"; readonly bearer: Bearer }
  | { readonly outcome: "denied" | "failed"; readonly message: string };

const responseLimitMs = 15_000;
const maxResponseBytes = 64 * 1024;

/** URL of the token exchange (platform API, "Endpoints"). */
export function exchangeUrl(apiUrl: string): string {
  return `${apiUrl.replace(/\/+$/, "")}/platform-os/oauth/token/exchange`;
}

/** Exchanges a Personal Access Token for a short-lived bearer token. Messages never contain either token. */
export async function exchangeToken(
  apiUrl: string,
  accessToken: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  try {
    const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
    const { statusCode, text } = await withLimit(signal, responseLimitMs, async (limited) => {
      const response = await request(exchangeUrl(apiUrl), { dispatcher, headers, signal: limited });
      return { statusCode: response.statusCode, text: await limitedText(response.body, maxResponseBytes) };
    });
    if (statusCode === 401 || statusCode === 403) {
      return { outcome: "denied", message: `the platform refuses the access token (HTTP ${statusCode})` };
    }
    if (statusCode !== 200) {
      return { outcome: "failed", message: `the token exchange responds with HTTP ${statusCode}` };
    }
    const bearer = readBearer(text);
    if (bearer === undefined)
      return { outcome: "failed", message: "the token exchange's response holds no token" };
    return { outcome: "exchanged", bearer };
  } catch (error) {
    signal.throwIfAborted();
    const what = isUntrusted(error)
      ? "the platform's certificate is not trusted"
      : "the token exchange does not respond";
    return { outcome: "failed", message: `${what}: ${describeError(error)}` };
  }
}

/** @throws Error when the body is longer than `maxBytes` */
export async function limitedText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error("the response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Reads `{"access_token": "...", "token_type": "Bearer"}`. */
export function readBearer(text: string): Bearer | undefined {
  try {
    const { access_token: token, token_type: type } = JSON.parse(text) as Record<string, unknown>;
    if (typeof token !== "string" || token === "" || !/^[\x21-\x7e]+$/.test(token)) return undefined;
    if (typeof type !== "string" || type.toLowerCase() !== "bearer") return undefined;
    const expiresMs = jwtExpiry(token);
    return { text: token, expiresMs };
  } catch {
    return undefined;
  }
}

/**
 * The `exp` claim of a JWT, in ms; undefined if the token is not a JWT. Verification is left to the platform.
 */
export function jwtExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split(".");
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { exp?: unknown };
    return typeof exp === "number" && Number.isFinite(exp) ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
