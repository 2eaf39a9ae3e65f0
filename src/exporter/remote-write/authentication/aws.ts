import { defined } from "../../../base/core/defined.ts";
import type { AwsKeys, SigningScope } from "../../policy/spec/types.ts";
import type { Fetched } from "./renewed-value.ts";
import {
  type FormRequest,
  formHeaders,
  postForm,
  type TokenRequestDeps,
  unavailable,
} from "./token-request.ts";

/** A request to be signed. */
export interface SignedRequest {
  /** Host and port as the request's Host header has them. */
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** @returns the headers that sign a POST request (AWS Signature Version 4) */
export async function signatureHeaders(
  request: SignedRequest,
  { region, service }: SigningScope,
  { accessKey, secretKey, sessionToken }: AwsKeys,
  nowMs: number,
): Promise<Record<string, string>> {
  // Loaded where it is used.
  const { sign } = await import("aws4");
  const { host, path, body } = request;
  const date = new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const signed = sign(
    {
      method: "POST",
      region,
      service,
      host,
      path,
      body,
      headers: { ...request.headers, "X-Amz-Date": date },
    },
    { accessKeyId: accessKey, secretAccessKey: secretKey, ...defined({ sessionToken }) },
  );
  const ours = ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"];
  return Object.fromEntries(
    Object.entries(signed.headers ?? {}).flatMap(([name, value]) =>
      ours.includes(name) ? [[name.toLowerCase(), String(value)]] : [],
    ),
  );
}

/** Temporary keys are asked for with this lifetime; the role may have a shorter limit. */
const sessionSeconds = 3_600;

/** Assumes a role with keys. */
export async function assumeRole(
  roleArn: string,
  region: string,
  keys: AwsKeys,
  deps: TokenRequestDeps,
): Promise<Fetched<AwsKeys>> {
  const url = stsUrl(region);
  const form = stsForm("AssumeRole", roleArn);
  const body = Buffer.from(new URLSearchParams(form).toString());
  const request = { host: new URL(url).host, path: "/", headers: formHeaders(deps), body };
  const signature = await signatureHeaders(request, { region, service: "sts" }, keys, deps.clock.nowMs());
  return await requestKeys({ url, form, headers: signature }, deps);
}

/** Assumes a role with a web identity token, for which no keys are needed. */
export async function assumeRoleWithToken(
  roleArn: string,
  token: string,
  region: string,
  deps: TokenRequestDeps,
): Promise<Fetched<AwsKeys>> {
  const form = { ...stsForm("AssumeRoleWithWebIdentity", roleArn), WebIdentityToken: token };
  return await requestKeys({ url: stsUrl(region), form }, deps);
}

function stsForm(action: string, roleArn: string): Record<string, string> {
  return {
    Action: action,
    Version: "2011-06-15",
    RoleArn: roleArn,
    RoleSessionName: "telemetryd",
    DurationSeconds: String(sessionSeconds),
  };
}

function stsUrl(region: string): string {
  return `https://sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}/`;
}

async function requestKeys(request: FormRequest, deps: TokenRequestDeps): Promise<Fetched<AwsKeys>> {
  const response = await postForm(request, deps);
  if (response.kind === "refused") return unavailable(`${response.message}; check the keys and roleArn`);
  return response.kind === "value" ? sessionKeysOf(response.value, deps.clock.nowMs()) : response;
}

/** Of the response of STS, XML or JSON; its values contain no markup. */
export function sessionKeysOf(body: string, nowMs: number): Fetched<AwsKeys> {
  const fieldOf = (name: string): string | undefined =>
    new RegExp(`(?:<${name}>|"${name}"\\s*:\\s*")([^<"]+)`).exec(body)?.[1];
  const accessKey = fieldOf("AccessKeyId");
  const secretKey = fieldOf("SecretAccessKey");
  const sessionToken = fieldOf("SessionToken") ?? fieldOf("Token");
  if (accessKey === undefined || secretKey === undefined || sessionToken === undefined) {
    return unavailable("the response to the request for temporary keys has none");
  }
  // JSON has seconds, XML has text.
  const seconds = /"Expiration"\s*:\s*([\d.]+)/.exec(body)?.[1];
  const expiryMs = seconds === undefined ? Date.parse(fieldOf("Expiration") ?? "") : Number(seconds) * 1_000;
  const lifetimeMs = Number.isNaN(expiryMs) ? sessionSeconds * 1_000 : Math.max(1_000, expiryMs - nowMs);
  return { kind: "value", value: { accessKey, secretKey, sessionToken }, lifetimeMs };
}
