import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { Credentials } from "../../policy/spec/types.ts";
import type { PostRequest, Transport } from "../transport/post.ts";
import { type Authenticated, Authentications } from "./authentication.ts";
import type { TokenRequestDeps } from "./token-request.ts";

/** The token endpoints of clouds, whose addresses are fixed: what is sent to them, and what becomes of it. */

const never = new AbortController().signal;
const nowMs = Date.parse("2026-11-27T12:00:00Z");
const request = { host: "aps.example", path: "/write", headers: { "content-type": "x" }, body: Buffer.of(1) };

afterEach(() => vi.unstubAllEnvs());

function setUp(respond: (request: PostRequest) => { status?: number; body: string }) {
  const sent: { url: string; form: Record<string, string>; authorization: string | undefined }[] = [];
  const transport: Transport = {
    post: async (post) => {
      const { origin, path, headers } = post.target;
      const form = Object.fromEntries(new URLSearchParams(post.body.toString()));
      sent.push({ url: origin + path, form, authorization: headers["authorization"] });
      return { kind: "response", status: 200, headers: {}, ...respond(post) };
    },
    close: async () => {},
  };
  const clock = new TestClock(nowMs);
  const deps: TokenRequestDeps = {
    ...{ scope: "tenant", tenant: "web", userAgent: "telemetryd/test", clock },
    transportTo: () => transport,
  };
  const authentications = new Authentications();
  const authenticate = (credentials: Credentials): Promise<Authenticated> =>
    authentications.of(credentials, deps).authenticate(request, never);
  return { sent, clock, authenticate };
}

const token = JSON.stringify({ access_token: "cloud-token", expires_in: "3599", token_type: "Bearer" });

test.each([
  ["AzurePublic", "https://login.microsoftonline.com", "https://monitor.azure.com//.default"],
  ["AzureChina", "https://login.chinacloudapi.cn", "https://monitor.azure.cn//.default"],
  ["AzureGovernment", "https://login.microsoftonline.us", "https://monitor.azure.us//.default"],
] as const)("Azure, with a client's secret: %s", async (cloud, authority, scope) => {
  const { sent, authenticate } = setUp(() => ({ body: token }));
  const application = { cloud, tenantId: "tenant", clientId: "client", clientSecret: "s" };
  expect(await authenticate({ kind: "azureAd", ...application })).toMatchObject({
    kind: "headers",
    headers: { authorization: "Bearer cloud-token" },
  });
  const form = { grant_type: "client_credentials", scope, client_id: "client", client_secret: "s" };
  expect(sent).toEqual([{ url: `${authority}/tenant/oauth2/v2.0/token`, form, authorization: undefined }]);
});

test("Azure, with the environment's workload identity", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-azure-"));
  const file = join(folder, "token");
  await writeFile(file, "the.federated.token\n");
  vi.stubEnv("AZURE_TENANT_ID", "tenant");
  vi.stubEnv("AZURE_CLIENT_ID", "client");
  vi.stubEnv("AZURE_FEDERATED_TOKEN_FILE", file);
  const { sent, authenticate } = setUp(() => ({ body: token }));
  expect(await authenticate({ kind: "azureAd", cloud: "AzurePublic" })).toMatchObject({ kind: "headers" });
  expect(sent[0]?.form).toMatchObject({
    client_id: "client",
    client_assertion: "the.federated.token",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  });
  await rm(folder, { recursive: true });
  const later = setUp(() => ({ body: token }));
  expect(await later.authenticate({ kind: "azureAd", cloud: "AzurePublic" })).toMatchObject({
    kind: "unavailable",
    verdict: {
      kind: "suspended",
      message: "the operator's credentials for this endpoint cannot be used",
      detail: expect.stringContaining(`the file ${file} cannot be used`),
    },
  });
});

const azure = { kind: "azureAd", cloud: "AzurePublic", tenantId: "tenant", clientId: "client" } as const;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const account = {
  ...{ clientEmail: "writer@project.example", tokenUri: "https://oauth2.googleapis.com/token" },
  privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};
/** The secret, or the key's id, of a token request. */
function proofIn({ body }: PostRequest): string | null {
  const form = new URLSearchParams(body.toString());
  const [head = ""] = (form.get("assertion") ?? "").split(".");
  return form.get("client_secret") ?? JSON.parse(Buffer.from(head, "base64url").toString()).kid;
}

test.each<[string, (proof: string) => Credentials, string]>([
  [
    "Azure",
    (clientSecret) => ({ ...azure, clientSecret }),
    'https://login.microsoftonline.com failed: 401 "invalid_client"; check tenantId, clientId and the Secret',
  ],
  [
    "Google",
    (privateKeyId) => ({ kind: "google", account: { ...account, privateKeyId } }),
    'https://oauth2.googleapis.com failed: 401 "invalid_client"; check the service account\'s key',
  ],
])("%s: a wrong Secret suspends the sink with the remedy; a rotated one is used at once", async (...row) => {
  const [, loginWith, remedy] = row;
  let valid = "first";
  const { sent, authenticate } = setUp((post) =>
    proofIn(post) === valid ? { body: token } : { status: 401, body: "invalid_client" },
  );
  expect(await authenticate(loginWith("wrong"))).toMatchObject({
    kind: "unavailable",
    verdict: { kind: "suspended", message: `the token request to ${remedy}` },
  });
  expect(await authenticate(loginWith("first"))).toMatchObject({ kind: "headers" });
  valid = "second";
  expect(await authenticate(loginWith("second"))).toMatchObject({ kind: "headers" });
  expect(sent).toHaveLength(3);
});

const sessionKeys = `<AssumeRoleResponse><AssumeRoleResult><Credentials>
  <AccessKeyId>ASIASESSION</AccessKeyId><SecretAccessKey>session/secret</SecretAccessKey>
  <SessionToken>session+token==</SessionToken><Expiration>2026-11-27T13:00:00Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>`;

test("AWS: a role is assumed with the keys, and its keys sign the requests until they expire", async () => {
  const { sent, clock, authenticate } = setUp(() => ({ body: sessionKeys }));
  const credentials: Credentials = {
    ...{ kind: "sigv4", region: "eu-central-1", service: "aps" },
    roleArn: "arn:aws:iam::123456789012:role/writer",
    keys: { accessKey: "AKIDEXAMPLE", secretKey: "secret" },
  };
  const signed = await authenticate(credentials);
  expect(signed).toMatchObject({
    headers: {
      authorization: expect.stringContaining("Credential=ASIASESSION/20261127/eu-central-1/aps/aws4_request"),
      "x-amz-security-token": "session+token==",
      "x-amz-date": "20261127T120000Z",
    },
  });
  expect(sent).toEqual([
    {
      url: "https://sts.eu-central-1.amazonaws.com/",
      form: {
        ...{ Action: "AssumeRole", Version: "2011-06-15", RoleArn: credentials.roleArn },
        ...{ RoleSessionName: "telemetryd", DurationSeconds: "3600" },
      },
      authorization: expect.stringContaining("Credential=AKIDEXAMPLE/20261127/eu-central-1/sts/aws4_request"),
    },
  ]);
  expect(clock.nowMs()).toBe(nowMs);
});

test("AWS: a refused role suspends the sink, with the remedy", async () => {
  const { authenticate } = setUp(() => ({ status: 403, body: "<Code>AccessDenied</Code>" }));
  const keys = { accessKey: "AKIDEXAMPLE", secretKey: "secret" };
  const role = { roleArn: "arn:aws:iam::123456789012:role/writer", region: "cn-north-1", service: "aps" };
  expect(await authenticate({ kind: "sigv4", keys, ...role })).toMatchObject({
    kind: "unavailable",
    verdict: {
      kind: "suspended",
      message:
        'the token request to https://sts.cn-north-1.amazonaws.com.cn failed: 403 "<Code>AccessDenied</Code>"; check the keys and roleArn',
    },
  });
});

test("AWS: the environment's web identity", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-aws-"));
  await writeFile(join(folder, "token"), "web.identity");
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "");
  vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", join(folder, "token"));
  vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/pod");
  const { sent, authenticate } = setUp(() => ({ body: sessionKeys }));
  const credentials: Credentials = { kind: "sigv4", region: "eu-central-1", service: "aps" };
  expect(await authenticate(credentials)).toMatchObject({ kind: "headers" });
  expect(sent[0]).toMatchObject({
    form: { Action: "AssumeRoleWithWebIdentity", WebIdentityToken: "web.identity" },
    authorization: undefined,
  });
  await rm(folder, { recursive: true });
});
