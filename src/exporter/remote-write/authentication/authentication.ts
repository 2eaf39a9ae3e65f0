import { createHash } from "node:crypto";
import type { EgressScope } from "../../../base/net/egress.ts";
import type { AwsKeys, Credentials } from "../../policy/spec/types.ts";
import type { Verdict } from "../transport/classify-response.ts";
import { type TokenCredentials, tokenFetch } from "./access-tokens.ts";
import { assumeRole, type SignedRequest, signatureHeaders } from "./aws.ts";
import { awsEnvironmentKeys } from "./environment.ts";
import { type Fetched, RenewedValue } from "./renewed-value.ts";
import { held, type TokenRequestDeps } from "./token-request.ts";

/** The headers that authenticate one request, or why it cannot be made. */
export type Authenticated =
  | {
      readonly kind: "headers";
      readonly headers: Readonly<Record<string, string>>;
      /** Call when the receiver responded with 401. @returns whether another request may be accepted */
      readonly refused?: () => boolean;
    }
  | { readonly kind: "unavailable"; readonly verdict: Verdict }
  | { readonly kind: "aborted" };

export interface Authentication {
  authenticate(request: SignedRequest, signal: AbortSignal): Promise<Authenticated>;
}

/** Tokens and temporary keys in use; the oldest is fetched again. */
const maxKept = 20_000;

/** Authenticates requests with the credentials of policies. Sinks with equal credentials share their tokens. */
export class Authentications {
  readonly #ofCredentials = new WeakMap<Credentials, Authentication>();
  /** By tenant and credentials. */
  readonly #shared = new Map<string, Authentication>();

  of(credentials: Credentials, deps: TokenRequestDeps): Authentication {
    let authentication = this.#ofCredentials.get(credentials);
    if (authentication === undefined) {
      authentication = this.#create(credentials, deps);
      this.#ofCredentials.set(credentials, authentication);
    }
    return authentication;
  }

  #create(credentials: Credentials, deps: TokenRequestDeps): Authentication {
    if (credentials.kind === "basicAuth") {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64");
      return constant(`Basic ${pair}`);
    }
    if (credentials.kind === "bearer") return constant(`Bearer ${credentials.token}`);
    const identity = JSON.stringify([deps.tenant, deps.scope, credentials]);
    const key = createHash("sha256").update(identity).digest("base64");
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      const oldest = this.#shared.size >= maxKept ? this.#shared.keys().next().value : undefined;
      if (oldest !== undefined) this.#shared.delete(oldest);
      shared =
        credentials.kind === "sigv4" ? signing(credentials, key, deps) : withToken(credentials, key, deps);
      this.#shared.set(key, shared);
    }
    return shared;
  }
}

function constant(authorization: string): Authentication {
  const authenticated: Promise<Authenticated> = Promise.resolve({
    kind: "headers",
    headers: { authorization },
  });
  return { authenticate: () => authenticated };
}

function withToken(credentials: TokenCredentials, key: string, deps: TokenRequestDeps): Authentication {
  const fetch = tokenFetch(credentials, deps);
  const owner = `token ${key}`;
  const tokens = new RenewedValue(async () => {
    const fetched = inWordsFor(deps.scope, credentials, await fetch());
    return held(owner, fetched, (token) => [token]);
  }, deps.clock);
  return {
    authenticate: async (_, signal) => {
      const token = await tokens.get(signal);
      if (token?.kind !== "value") return token ?? { kind: "aborted" };
      const { value } = token;
      const headers = { authorization: `Bearer ${value}` };
      return { kind: "headers", headers, refused: () => tokens.refused(value) };
    },
  };
}

function signing(
  credentials: Credentials & { readonly kind: "sigv4" },
  key: string,
  deps: TokenRequestDeps,
): Authentication {
  const fetched = new RenewedValue(async () => {
    const keys = inWordsFor(deps.scope, credentials, await signingKeys(credentials, deps));
    return held(`keys ${key}`, keys, secretsOfKeys);
  }, deps.clock);
  return {
    authenticate: async (request, signal) => {
      const keys = await fetched.get(signal);
      if (keys?.kind !== "value") return keys ?? { kind: "aborted" };
      const { value } = keys;
      const headers = await signatureHeaders(request, credentials, value, deps.clock.nowMs());
      return {
        kind: "headers",
        headers,
        refused: () => value.sessionToken !== undefined && fetched.refused(value),
      };
    },
  };
}

function secretsOfKeys({ secretKey, sessionToken }: AwsKeys): string[] {
  return sessionToken === undefined ? [secretKey] : [secretKey, sessionToken];
}

async function signingKeys(
  { keys, region, roleArn }: Credentials & { readonly kind: "sigv4" },
  deps: TokenRequestDeps,
): Promise<Fetched<AwsKeys>> {
  const own: Fetched<AwsKeys> =
    keys === undefined ? await awsEnvironmentKeys(region, deps) : { kind: "value", value: keys };
  if (own.kind !== "value" || roleArn === undefined) return own;
  return await assumeRole(roleArn, region, own.value, deps);
}

/** Whether the credentials are those of the daemon's environment. */
export function isOfEnvironment(credentials: Credentials): boolean {
  switch (credentials.kind) {
    case "sigv4":
      return credentials.keys === undefined;
    case "azureAd":
      return credentials.clientSecret === undefined;
    case "google":
      return credentials.account === undefined;
    default:
      return false;
  }
}

/** What is wrong with the environment is the operator's to know. */
function inWordsFor<T>(scope: EgressScope, credentials: Credentials, fetched: Fetched<T>): Fetched<T> {
  if (fetched.kind === "value" || scope === "operator" || !isOfEnvironment(credentials)) return fetched;
  const { verdict } = fetched;
  if (verdict.kind !== "suspended" && verdict.kind !== "retry") return fetched;
  const message = "the operator's credentials for this endpoint cannot be used";
  return { kind: "unavailable", verdict: { ...verdict, message, detail: verdict.message } };
}
