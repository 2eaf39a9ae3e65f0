import { readFile } from "node:fs/promises";
import { request } from "undici";
import { describeError } from "../../../base/core/errors.ts";
import type { AwsKeys } from "../../policy/spec/types.ts";
import { assumeRoleWithToken, sessionKeysOf } from "./aws.ts";
import type { Fetched } from "./renewed-value.ts";
import { accessTokenOf, type TokenRequestDeps, unavailable } from "./token-request.ts";

/**
 * The credentials of the daemon's own environment, where the operator allows their use
 * (`delivery.endpoints[].environmentCredentials`). Its variables name the addresses: these are not checked.
 */

const maxBytes = 65_536;

/** AWS' variables in the order of its SDKs: keys, a web identity, a container's endpoint. */
export async function awsEnvironmentKeys(region: string, deps: TokenRequestDeps): Promise<Fetched<AwsKeys>> {
  const variables = process.env;
  const accessKey = variables["AWS_ACCESS_KEY_ID"];
  const secretKey = variables["AWS_SECRET_ACCESS_KEY"];
  if (accessKey && secretKey) {
    return { kind: "value", value: { accessKey, secretKey, sessionToken: variables["AWS_SESSION_TOKEN"] } };
  }
  const tokenFile = variables["AWS_WEB_IDENTITY_TOKEN_FILE"];
  const roleArn = variables["AWS_ROLE_ARN"];
  if (tokenFile && roleArn) {
    const token = await fileContent(tokenFile);
    if ("problem" in token) return unavailable(token.problem);
    return await assumeRoleWithToken(roleArn, token.text, region, deps);
  }
  const relative = variables["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"];
  const url = relative ? `http://169.254.170.2${relative}` : variables["AWS_CONTAINER_CREDENTIALS_FULL_URI"];
  if (!url) return unavailable("the daemon's environment has no AWS credentials; add a secretRef");
  const file = variables["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"];
  const token = file
    ? await fileContent(file)
    : { text: variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] ?? "" };
  if ("problem" in token) return unavailable(token.problem);
  const response = await getText(url, token.text === "" ? {} : { authorization: token.text });
  return response.kind === "value" ? sessionKeysOf(response.value, deps.clock.nowMs()) : response;
}

export interface AzureIdentity {
  readonly tenantId: string;
  readonly clientId: string;
  readonly assertion: string;
}

/** The workload identity that Azure's webhook puts into a pod's environment. @returns otherwise what is missing */
export async function azureIdentity(own: {
  readonly tenantId: string | undefined;
  readonly clientId: string | undefined;
}): Promise<AzureIdentity | string> {
  const tenantId = own.tenantId ?? process.env["AZURE_TENANT_ID"];
  const clientId = own.clientId ?? process.env["AZURE_CLIENT_ID"];
  const file = process.env["AZURE_FEDERATED_TOKEN_FILE"];
  if (!tenantId || !clientId || !file) {
    return "the daemon's environment has no Azure workload identity; add a secretRef";
  }
  const token = await fileContent(file);
  return "problem" in token ? token.problem : { tenantId, clientId, assertion: token.text };
}

/** The token of Google's metadata server, which GKE's workload identity provides, too. */
export async function googleToken(): Promise<Fetched<string>> {
  const host = process.env["GCE_METADATA_HOST"] ?? "metadata.google.internal";
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  const response = await getText(url, { "metadata-flavor": "Google" });
  return response.kind === "value" ? accessTokenOf(response.value) : response;
}

async function fileContent(path: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const text = (await readFile(path, "utf8")).trim();
    return text === "" ? { problem: `the file ${path} is empty` } : { text };
  } catch (error) {
    return { problem: `the file ${path} cannot be used: ${describeError(error)}` };
  }
}

async function getText(url: string, headers: Record<string, string>): Promise<Fetched<string>> {
  try {
    const response = await request(url, { headers, headersTimeout: 5_000, bodyTimeout: 5_000 });
    let text = "";
    for await (const chunk of response.body) {
      text += String(chunk);
      if (text.length > maxBytes) throw new Error("the response is longer than 64 KiB");
    }
    if (response.statusCode === 200) return { kind: "value", value: text };
    throw new Error(`it responds with ${response.statusCode}`);
  } catch (error) {
    const message = `the environment's credentials cannot be fetched: ${describeError(error)}`;
    return {
      kind: "unavailable",
      verdict: { kind: "retry", reason: "connect", message, responseLost: false },
    };
  }
}
