import { describe, expect, test } from "vitest";
import { credentialsOf, headersOf, secretsOf } from "./credentials.ts";
import { checkSecret } from "./secret.ts";
import type { AuthenticationSpec, HeaderValue, PolicySink, Secret } from "./types.ts";

const secret = (members: object) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s" },
  ...members,
});
const base64 = (text: string) => Buffer.from(text).toString("base64");
const named = (data: Record<string, string>): Secret => ({
  plane: "directory",
  namespace: "default",
  name: "s",
  type: "Opaque",
  data: new Map(Object.entries(data)),
});
const at = (key: string) => ({ secret: "s", key });
const oauth2 = {
  ...{ clientId: "id", tokenUrl: "https://login.example/token", scopes: [], endpointParams: {} },
  ...{ kind: "oauth2" as const, clientSecret: at("clientSecret") },
};
const account = {
  type: "service_account",
  client_email: "writer@project.example",
  private_key: "-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----\n",
};

test.each<[AuthenticationSpec, Record<string, string>, object]>([
  [{ kind: "bearer", token: at("token") }, { token: "t0ken\n" }, { kind: "bearer", token: "t0ken" }],
  [oauth2, { clientSecret: "x" }, { ...oauth2, clientSecret: "x" }],
  [
    { kind: "sigv4", region: "eu-central-1", service: "aps", secret: "s" },
    { accessKey: "AKIA", secretKey: "k", sessionToken: "t" },
    {
      ...{ kind: "sigv4", region: "eu-central-1", service: "aps" },
      keys: { accessKey: "AKIA", secretKey: "k", sessionToken: "t" },
    },
  ],
  [
    { kind: "sigv4", region: "eu-central-1", service: "aps" },
    {},
    { kind: "sigv4", region: "eu-central-1", service: "aps" },
  ],
  [
    { kind: "azureAd", cloud: "AzurePublic", tenantId: "t", clientId: "c", clientSecret: at("clientSecret") },
    { clientSecret: "x" },
    { kind: "azureAd", cloud: "AzurePublic", tenantId: "t", clientId: "c", clientSecret: "x" },
  ],
  [
    { kind: "google", key: at("key.json") },
    { "key.json": JSON.stringify(account) },
    {
      kind: "google",
      account: {
        clientEmail: account.client_email,
        privateKey: account.private_key,
        tokenUri: "https://oauth2.googleapis.com/token",
      },
    },
  ],
])("credentials of $kind: %#", (spec, data, expected) => {
  expect(credentialsOf(spec, () => named(data))).toEqual(expected);
});

test.each<[AuthenticationSpec, Record<string, string> | undefined, string]>([
  [{ kind: "bearer", token: at("token") }, undefined, "secret 's' not found"],
  [{ kind: "bearer", token: at("token") }, {}, "secret 's' does not contain a token"],
  [{ kind: "bearer", token: at("token") }, { token: "\n" }, "secret 's' has a token that is empty"],
  [
    { kind: "bearer", token: at("token") },
    { token: "two words" },
    "secret 's' has a token that has a character that no token may hold",
  ],
  [oauth2, { token: "x" }, "secret 's' does not contain a clientSecret"],
  [
    { kind: "sigv4", region: "r", service: "aps", secret: "s" },
    { accessKey: "AKIA" },
    "secret 's' does not contain a secretKey",
  ],
  [
    { kind: "sigv4", region: "r", service: "aps", secret: "s" },
    { accessKey: "a/b", secretKey: "x" },
    "secret 's' has a accessKey that is no access key ID",
  ],
  [
    { kind: "google", key: at("key.json") },
    { "key.json": "{" },
    "secret 's' has a key.json that is not JSON",
  ],
  [
    { kind: "google", key: at("key.json") },
    { "key.json": JSON.stringify({ ...account, type: "authorized_user" }) },
    "secret 's' has a key.json that is not the key of a service account",
  ],
  [
    { kind: "google", key: at("key.json") },
    { "key.json": JSON.stringify({ ...account, token_uri: "file:///etc/passwd" }) },
    "secret 's' has a key.json that has a token_uri that is not an http or https URL",
  ],
])("no credentials: %#", (spec, data, problem) => {
  expect(credentialsOf(spec, () => data && named(data))).toEqual({ problem });
});

test("headers are literal or from a Secret", () => {
  const headers = new Map<string, HeaderValue>([
    ["x-scope-orgid", "team"],
    ["api-key", at("key")],
  ]);
  expect(headersOf(headers, () => named({ key: "0123456789\n" }))).toEqual({
    values: { "x-scope-orgid": "team", "api-key": "0123456789" },
  });
  expect(headersOf(headers, () => named({ key: "a\nb" }))).toEqual({
    problem: "the header api-key has a value with a character that no header may hold",
  });
  expect(headersOf(headers, () => undefined)).toEqual({ problem: "secret 's' not found" });
});

test("every Secret of a sink is named with its keys and its place", () => {
  const sink = {
    authentication: { kind: "sigv4", region: "r", service: "aps", secret: "keys" },
    headers: new Map<string, HeaderValue>([
      ["x-a", "a"],
      ["api-key", at("key")],
    ]),
  } as unknown as PolicySink;
  expect(secretsOf(sink)).toEqual([
    {
      name: "keys",
      keys: ["accessKey", "secretKey", "sessionToken"],
      path: ["authentication", "sigv4", "secretRef", "name"],
    },
    { name: "s", keys: ["key"], path: ["headers", 1, "valueFrom", "secretKeyRef", "name"] },
  ]);
});

describe("basicAuth, with the messages of the condition InvalidAuthentication", () => {
  const of = (type: string, data: Record<string, string>) => ({
    plane: "directory",
    namespace: "default",
    name: "s",
    type,
    data: new Map(Object.entries(data)),
  });
  test.each([
    [undefined, "secret 's' not found"],
    [of("Opaque", {}), "secret 's' is not of type kubernetes.io/basic-auth"],
    [of("kubernetes.io/basic-auth", { password: "p" }), "secret 's' does not contain a username"],
    [of("kubernetes.io/basic-auth", { username: "u" }), "secret 's' does not contain a password"],
    [
      of("kubernetes.io/basic-auth", { username: "a:b", password: "p" }),
      "secret 's' has a username with a colon",
    ],
  ])("%#", (value, problem) => {
    expect(credentialsOf({ kind: "basicAuth", secret: "s" }, () => value)).toEqual({ problem });
  });

  test.each<[string, object, string]>([
    [
      "a number",
      { stringData: { username: 123456, password: "p" } },
      "username that cannot be read: it must be text; put it in quotes",
    ],
    [
      "Latin-1",
      { data: { username: base64("u"), password: Buffer.from("pässword", "latin1").toString("base64") } },
      "password that cannot be read: it must be UTF-8 text in base64",
    ],
    [
      "no base64",
      { data: { username: "ü", password: base64("p") } },
      "username that cannot be read: it must be base64; plain text belongs in stringData",
    ],
    [
      "a number that takes precedence over a text",
      { data: { username: base64("u"), password: base64("p") }, stringData: { username: 1 } },
      "username that cannot be read: it must be text; put it in quotes",
    ],
  ])("a credential that is there but cannot be read: %s", (_name, fields, problem) => {
    const { secret: read } = checkSecret(
      secret({ type: "kubernetes.io/basic-auth", ...fields }),
      "directory",
    );
    expect(credentialsOf({ kind: "basicAuth", secret: "s" }, () => read)).toEqual({
      problem: `secret 's' has a ${problem}`,
    });
  });

  test("an empty password is one", () => {
    const value = of("kubernetes.io/basic-auth", { username: "u", password: "" });
    expect(credentialsOf({ kind: "basicAuth", secret: "s" }, () => value)).toEqual({
      kind: "basicAuth",
      username: "u",
      password: "",
    });
  });
});
