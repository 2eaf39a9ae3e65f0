import { defined } from "../../../base/core/defined.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { AzureApplication, Credentials, GoogleAccount } from "../../policy/spec/types.ts";
import { azureIdentity, googleToken } from "./environment.ts";
import type { Fetched } from "./renewed-value.ts";
import {
  accessTokenOf,
  type FormRequest,
  postForm,
  type TokenRequestDeps,
  unavailable,
} from "./token-request.ts";

/** Access tokens of OAuth 2.0 servers, Microsoft Entra ID and Google. */

export type TokenCredentials = Credentials & { readonly kind: "oauth2" | "azureAd" | "google" };

/** @returns requests a token, each time it is called */
export function tokenFetch(
  credentials: TokenCredentials,
  deps: TokenRequestDeps,
): () => Promise<Fetched<string>> {
  switch (credentials.kind) {
    case "oauth2":
      return clientCredentials(credentials, deps);
    case "azureAd":
      return () => azureToken(credentials, deps);
    case "google": {
      const { account } = credentials;
      return account === undefined ? googleToken : () => googleAccountToken(account, deps);
    }
  }
}

/**
 * RFC 6749, section 2.3.1: a server must take the client's secret in the Authorization header; some take it
 * in the form only. What works is tried first the next time.
 */
function clientCredentials(
  { clientId, clientSecret, tokenUrl, scopes, endpointParams }: Credentials & { readonly kind: "oauth2" },
  deps: TokenRequestDeps,
): () => Promise<Fetched<string>> {
  const form = {
    ...endpointParams,
    grant_type: "client_credentials",
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  const inHeader: FormRequest = {
    url: tokenUrl,
    form,
    headers: { authorization: `Basic ${Buffer.from(pair).toString("base64")}` },
  };
  const inForm: FormRequest = {
    url: tokenUrl,
    form: { ...form, client_id: clientId, client_secret: clientSecret },
  };
  let order = [inHeader, inForm];
  return async () => {
    let refusal = "";
    for (const request of order) {
      const response = await postForm(request, deps);
      if (response.kind === "value") {
        order = [request, ...order.filter((other) => other !== request)];
        return accessTokenOf(response.value);
      }
      if (response.kind === "unavailable") return response;
      refusal ||= response.message;
      if (response.status !== 400 && response.status !== 401) break;
    }
    return unavailable(`${refusal}; check clientId, the Secret and tokenURL`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

interface AzureCloud {
  readonly authority: string;
  readonly scope: string;
}

const azureClouds: Readonly<Record<AzureApplication["cloud"], AzureCloud>> = {
  AzurePublic: {
    authority: "https://login.microsoftonline.com",
    scope: "https://monitor.azure.com//.default",
  },
  AzureChina: { authority: "https://login.chinacloudapi.cn", scope: "https://monitor.azure.cn//.default" },
  AzureGovernment: {
    authority: "https://login.microsoftonline.us",
    scope: "https://monitor.azure.us//.default",
  },
};

const clientAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

async function azureToken(
  { cloud, tenantId, clientId, clientSecret }: Credentials & { readonly kind: "azureAd" },
  deps: TokenRequestDeps,
): Promise<Fetched<string>> {
  const { authority, scope } = azureClouds[cloud];
  const form: Record<string, string> = { grant_type: "client_credentials", scope };
  let tenant = tenantId;
  if (clientSecret === undefined) {
    const identity = await azureIdentity({ tenantId, clientId });
    if (typeof identity === "string") return unavailable(identity);
    tenant = identity.tenantId;
    Object.assign(form, {
      client_id: identity.clientId,
      client_assertion_type: clientAssertion,
      client_assertion: identity.assertion,
    });
  } else Object.assign(form, { client_id: clientId ?? "", client_secret: clientSecret });
  const url = `${authority}/${encodeURIComponent(tenant ?? "")}/oauth2/v2.0/token`;
  return await requestToken({ url, form }, "check tenantId, clientId and the Secret", deps);
}

const googleScope = "https://www.googleapis.com/auth/monitoring.write";

/** RFC 7523, section 2.1: a signed assertion is exchanged for a token. */
async function googleAccountToken(
  { clientEmail, privateKey, privateKeyId, tokenUri }: GoogleAccount,
  deps: TokenRequestDeps,
): Promise<Fetched<string>> {
  const nowSeconds = Math.floor(deps.clock.nowMs() / 1_000);
  let assertion: string;
  try {
    // Loaded where it is used.
    const { importPKCS8, SignJWT } = await import("jose");
    assertion = await new SignJWT({ scope: googleScope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT", ...defined({ kid: privateKeyId }) })
      .setIssuer(clientEmail)
      .setAudience(tokenUri)
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + 3_600)
      .sign(await importPKCS8(privateKey, "RS256"));
  } catch (error) {
    return unavailable(`the service account's private key cannot be used: ${describeError(error)}`);
  }
  const form = {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion,
  };
  return await requestToken({ url: tokenUri, form }, "check the service account's key", deps);
}

async function requestToken(
  request: FormRequest,
  remedy: string,
  deps: TokenRequestDeps,
): Promise<Fetched<string>> {
  const response = await postForm(request, deps);
  if (response.kind === "refused") return unavailable(`${response.message}; ${remedy}`);
  return response.kind === "value" ? accessTokenOf(response.value) : response;
}
