import { z } from "zod";
import { defined } from "../../../base/core/defined.ts";
import { parseUrl } from "../../../base/core/url.ts";
import { headerFault } from "./headers.ts";
import { basicAuthType } from "./secret.ts";
import type {
  AuthenticationSpec,
  AwsKeys,
  Credentials,
  GoogleAccount,
  HeaderValue,
  PolicySink,
  Secret,
  SecretKey,
} from "./types.ts";

/** Reads what a sink's authentication and headers take from Secrets. Messages contain no value of a Secret. */

/** A Secret of the policy's namespace by its name. */
type SecretsByName = (name: string) => Secret | undefined;

/** For the condition InvalidAuthentication. */
interface Problem {
  readonly problem: string;
}

interface UsedSecret {
  readonly name: string;
  /** The keys that are read; none: those of the type basic-auth. */
  readonly keys: readonly string[];
  /** The field that names it, below the target. */
  readonly path: readonly (string | number)[];
}

/** The Secrets that a sink names. */
export function secretsOf({ authentication, headers }: PolicySink): UsedSecret[] {
  const used: UsedSecret[] = [];
  if (authentication !== undefined) {
    const { kind } = authentication;
    const path = ["authentication", kind, "secretRef", "name"];
    if (kind === "basicAuth") used.push({ name: authentication.secret, keys: [], path });
    else if (kind === "sigv4") {
      if (authentication.secret !== undefined)
        used.push({ name: authentication.secret, keys: awsKeys, path });
    } else {
      const place = secretKeyIn(authentication);
      if (place !== undefined) used.push({ name: place.secret, keys: [place.key], path });
    }
  }
  for (const [index, value] of [...(headers?.values() ?? [])].entries()) {
    if (typeof value === "string") continue;
    const path = ["headers", index, "valueFrom", "secretKeyRef", "name"];
    used.push({ name: value.secret, keys: [value.key], path });
  }
  return used;
}

function secretKeyIn(
  spec: Exclude<AuthenticationSpec, { kind: "basicAuth" | "sigv4" }>,
): SecretKey | undefined {
  if (spec.kind === "bearer") return spec.token;
  return spec.kind === "google" ? spec.key : spec.clientSecret;
}

export function credentialsOf(spec: AuthenticationSpec, secretOf: SecretsByName): Credentials | Problem {
  switch (spec.kind) {
    case "basicAuth":
      return basicAuthOf(spec.secret, secretOf(spec.secret));
    case "bearer": {
      const token = secretValue(spec.token, secretOf);
      if (typeof token !== "string") return token;
      if (/^[\x21-\x7e]+$/.test(token)) return { kind: "bearer", token };
      return problemOf(spec.token, "has a character that no token may hold");
    }
    case "oauth2": {
      const clientSecret = secretValue(spec.clientSecret, secretOf);
      return typeof clientSecret === "string" ? { ...spec, clientSecret } : clientSecret;
    }
    case "sigv4": {
      const { secret, ...scope } = spec;
      if (secret === undefined) return scope;
      const keys = awsKeysOf(secret, secretOf);
      return "problem" in keys ? keys : { ...scope, keys };
    }
    case "azureAd": {
      const { clientSecret: place, ...application } = spec;
      if (place === undefined) return application;
      const clientSecret = secretValue(place, secretOf);
      return typeof clientSecret === "string" ? { ...application, clientSecret } : clientSecret;
    }
    case "google": {
      if (spec.key === undefined) return { kind: "google" };
      const text = secretValue(spec.key, secretOf);
      if (typeof text !== "string") return text;
      const account = googleAccountOf(text);
      return "problem" in account ? problemOf(spec.key, account.problem) : { kind: "google", account };
    }
  }
}

/** @returns the values by the headers' names in lower case */
export function headersOf(
  headers: ReadonlyMap<string, HeaderValue>,
  secretOf: SecretsByName,
): { readonly values: Readonly<Record<string, string>> } | Problem {
  const values = new Map<string, string>();
  for (const [name, place] of headers) {
    const value = typeof place === "string" ? place : secretValue(place, secretOf);
    if (typeof value !== "string") return value;
    const fault = headerFault(name, value);
    if (fault !== undefined) return { problem: `the header ${name} ${fault}` };
    values.set(name, value);
  }
  return { values: Object.fromEntries(values) };
}

/** The value without line breaks at its end, which editors and `echo` add. */
function secretValue({ secret: name, key }: SecretKey, secretOf: SecretsByName): string | Problem {
  const secret = secretOf(name);
  if (secret === undefined) return { problem: `secret '${name}' not found` };
  const fault = secret.unreadable?.get(key);
  if (fault !== undefined)
    return { problem: `secret '${name}' has a ${key} that cannot be read: it ${fault}` };
  const value = secret.data.get(key)?.replace(/[\r\n]+$/, "");
  if (value === undefined) return { problem: `secret '${name}' does not contain a ${key}` };
  return value === "" ? problemOf({ secret: name, key }, "is empty") : value;
}

function problemOf({ secret, key }: SecretKey, fault: string): Problem {
  return { problem: `secret '${secret}' has a ${key} that ${fault}` };
}

function basicAuthOf(name: string, secret: Secret | undefined): Credentials | Problem {
  if (secret === undefined) return { problem: `secret '${name}' not found` };
  if (secret.type !== basicAuthType) return { problem: `secret '${name}' is not of type ${basicAuthType}` };
  const [unreadable] = secret.unreadable ?? [];
  if (unreadable !== undefined) {
    return { problem: `secret '${name}' has a ${unreadable[0]} that cannot be read: it ${unreadable[1]}` };
  }
  const username = secret.data.get("username");
  const password = secret.data.get("password");
  if (username === undefined) return { problem: `secret '${name}' does not contain a username` };
  if (password === undefined) return { problem: `secret '${name}' does not contain a password` };
  // RFC 7617, section 2: the first colon ends the user name.
  if (username.includes(":")) return { problem: `secret '${name}' has a username with a colon` };
  return { kind: "basicAuth", username, password };
}

const awsKeys = ["accessKey", "secretKey", "sessionToken"];

function awsKeysOf(secret: string, secretOf: SecretsByName): AwsKeys | Problem {
  const accessKey = secretValue({ secret, key: "accessKey" }, secretOf);
  if (typeof accessKey !== "string") return accessKey;
  const secretKey = secretValue({ secret, key: "secretKey" }, secretOf);
  if (typeof secretKey !== "string") return secretKey;
  if (!/^\w+$/.test(accessKey)) return problemOf({ secret, key: "accessKey" }, "is no access key ID");
  if (!secretOf(secret)?.data.has("sessionToken")) return { accessKey, secretKey };
  const sessionToken = secretValue({ secret, key: "sessionToken" }, secretOf);
  return typeof sessionToken === "string" ? { accessKey, secretKey, sessionToken } : sessionToken;
}

/** Of RSA keys of 4,096 bits and less: longer ones take long to sign with. */
const maxKeyLength = 4_096;

const googleKey = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1),
  private_key: z.string().startsWith("-----BEGIN PRIVATE KEY-----").max(maxKeyLength),
  private_key_id: z.string().optional(),
  token_uri: z.string().prefault("https://oauth2.googleapis.com/token"),
});

function googleAccountOf(text: string): GoogleAccount | Problem {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: "is not JSON" };
  }
  const { data } = googleKey.safeParse(json);
  if (data === undefined) return { problem: "is not the key of a service account" };
  if (!/^https?:$/.test(parseUrl(data.token_uri)?.protocol ?? "")) {
    return { problem: "has a token_uri that is not an http or https URL" };
  }
  return {
    clientEmail: data.client_email,
    privateKey: data.private_key,
    tokenUri: data.token_uri,
    ...defined({ privateKeyId: data.private_key_id }),
  };
}
