import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { createLocalJWKSet, exportJWK, jwtVerify } from "jose";
import Provider from "oidc-provider";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { redact } from "../../src/base/log/redact.ts";
import type { Credentials } from "../../src/exporter/policy/spec/types.ts";
import type { EndpointSettings } from "../../src/exporter/remote-write/endpoint/endpoint-settings.ts";
import type { Endpoints } from "../../src/exporter/remote-write/endpoints.ts";
import type { Outcome } from "../../src/exporter/remote-write/send/outcome.ts";
import { openEndpoints } from "../support/receiver/endpoints.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { never, smallRequest } from "../support/receiver/requests.ts";
import { findServers } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** The logins of policies at receivers that verify them, with servers and signatures that are not ours. */

let receiver: Receiver;
setUpAll(async ({ keep }) => {
  receiver = await keep(startReceiver());
});
afterEach(() => {
  receiver.respond(() => undefined);
  receiver.clear();
});

function open(list: Partial<EndpointSettings>[] = []): Endpoints {
  const defaults: Omit<EndpointSettings, "urlPrefix"> = {
    ...{ tenants: false, headers: {}, environmentCredentials: false, tls: {} },
    ...{ externalLabels: {}, dropLabels: [], maxSamplesPerSecond: 0 },
  };
  const urlPrefix = `http://127.0.0.1:${receiver.port}`;
  const endpoints = openEndpoints({
    endpoints: list.map((entry) => ({ ...defaults, urlPrefix, ...entry })),
    egress: { deny: [], allow: ["127.0.0.0/8"], trustProxy: false },
  });
  onTestFinished(() => endpoints.close());
  return endpoints;
}

interface Sink {
  readonly credentials?: Credentials;
  readonly headers?: Record<string, string>;
  readonly scope?: "operator" | "tenant";
}

async function send(
  endpoints: Endpoints,
  { credentials, headers, scope = "tenant" }: Sink,
): Promise<Outcome | { readonly kind: "invalid"; readonly message: string }> {
  const destination = endpoints.destinationOf({
    ...{ endpoint: receiver.url, scope, tenant: "web", headers },
    retry: { maxAttempts: 1, backoffMs: 10 },
    credentials: () => credentials,
    interrupt: () => never,
  });
  return destination.kind === "invalid" ? destination : await destination.sender.send(smallRequest(), never);
}

describe("OAuth 2.0, with a real server", () => {
  const clientSecret = "the-secret-of-the-exporter";
  let server: Server;
  let issuer: string;
  let tokenRequests = 0;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] };
    const provider = new Provider(issuer, {
      clients: [
        { ...client, client_id: "ex:porter", client_secret: clientSecret },
        { ...client, client_id: "receiver", client_secret: "of-the-receiver" },
      ],
      features: {
        clientCredentials: { enabled: true },
        introspection: { enabled: true },
        revocation: { enabled: true },
        devInteractions: { enabled: false },
      },
      scopes: ["metrics:write"],
      ttl: { ClientCredentials: 3 },
    });
    const handle = provider.callback();
    server.on("request", (request, response) => {
      if (request.url === "/token") tokenRequests++;
      void handle(request, response);
    });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const login = (clientId: string, secret = clientSecret): Credentials => ({
    ...{ kind: "oauth2", clientId, clientSecret: secret, tokenUrl: `${issuer}/token` },
    ...{ scopes: ["metrics:write"], endpointParams: {} },
  });

  async function form(path: string, body: Record<string, string>): Promise<Record<string, unknown>> {
    const authorization = `Basic ${Buffer.from("receiver:of-the-receiver").toString("base64")}`;
    const response = await fetch(issuer + path, {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams(body),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  /** A receiver that asks the server whether it knows the token. */
  function introspect(): void {
    receiver.respond(async ({ headers }) => {
      const [, token = ""] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
      const { active, scope, client_id: client } = await form("/token/introspection", { token });
      return active === true && scope === "metrics:write" && client !== undefined
        ? undefined
        : { status: 401, body: `unknown: ${token}` };
    });
  }

  test("one token for many requests, renewed as it expires", async () => {
    introspect();
    const endpoints = open();
    const credentials = login("ex:porter");
    // Sinks with equal credentials share their token.
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => send(endpoints, { credentials: { ...credentials } })),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["delivered", "delivered", "delivered"]);
    expect(tokenRequests).toBe(1);
    await until("the token was renewed", async () => {
      expect(await send(endpoints, { credentials })).toMatchObject({ kind: "delivered" });
      return tokenRequests > 2;
    });
    const last = receiver.requests.at(-1)?.headers.authorization ?? "";
    expect(redact(`they sent ${last}`)).toBe("they sent Bearer ***");
  });

  test("a wrong secret suspends the sink with the remedy, and nothing is sent", async () => {
    const outcome = await send(open(), { credentials: login("ex:porter", "a-wrong-secret") });
    expect(outcome).toMatchObject({ kind: "suspended", responseLost: false });
    expect("message" in outcome && outcome.message).toMatch(
      /^the token request to http:\/\/127\.0\.0\.1:\d+ failed: 401 "\{"error":"invalid_client",.*; check clientId, the Secret and tokenURL$/,
    );
    expect(receiver.requests).toEqual([]);
  });

  test("a rotated secret is used at once", async () => {
    introspect();
    const endpoints = open();
    const wrong = { credentials: login("ex:porter", "a-wrong-secret") };
    expect(await send(endpoints, wrong)).toMatchObject({ kind: "suspended" });
    expect(await send(endpoints, { credentials: login("ex:porter") })).toMatchObject({ kind: "delivered" });
  });

  test("a tenant's token endpoint is checked like its receiver", async () => {
    const endpoints = open();
    const credentials = { ...login("ex:porter"), tokenUrl: "http://169.254.169.254/token" } as Credentials;
    expect(await send(endpoints, { credentials })).toMatchObject({ kind: "forbidden" });
    const unreachable = { ...login("ex:porter"), tokenUrl: "http://127.0.0.1:1/token" } as Credentials;
    expect(await send(endpoints, { credentials: unreachable })).toMatchObject({
      kind: "exhausted",
      message: "the token request to http://127.0.0.1:1 failed: no connection to the endpoint can be made",
      responseLost: false,
    });
  });
});

describe("OAuth 2.0, with a server that is scripted", () => {
  let respond: (form: URLSearchParams, authorization: string | undefined) => string | undefined = () => "";
  let server: Server;
  let credentials: Credentials;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const text = respond(new URLSearchParams(body), request.headers.authorization);
      response.writeHead(text === undefined ? 401 : 200);
      response.end(text ?? '{"error":"invalid_client"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    credentials = {
      ...{ kind: "oauth2", clientId: "id", clientSecret: "secret", tokenUrl },
      ...{ scopes: ["a", "b"], endpointParams: { audience: "metrics" } },
    };
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test("a token that the receiver refuses is not fetched again and again", async () => {
    let issued = 0;
    respond = () => JSON.stringify({ access_token: `token-number-${++issued}`, token_type: "Bearer" });
    receiver.respond(() => ({ status: 401 }));
    const endpoints = open();
    for (let round = 0; round < 3; round++) {
      expect(await send(endpoints, { credentials })).toMatchObject({ kind: "suspended", status: 401 });
    }
    expect(issued).toBe(1);
  });

  test("a server that takes the secret in the form only gets it there, with the other parameters", async () => {
    const forms: string[] = [];
    respond = (form, authorization) => {
      forms.push(`${authorization} ${form}`);
      if (authorization !== undefined) return undefined;
      return JSON.stringify({ access_token: "token-in-form" });
    };
    expect(await send(open(), { credentials })).toMatchObject({ kind: "delivered" });
    expect(forms).toEqual([
      "Basic aWQ6c2VjcmV0 audience=metrics&grant_type=client_credentials&scope=a+b",
      "undefined audience=metrics&grant_type=client_credentials&scope=a+b&client_id=id&client_secret=secret",
    ]);
  });

  test.each([
    ["no JSON", "<html>", "the token endpoint's response is not JSON"],
    ["no token", "{}", "the token endpoint's response has no bearer token"],
    ["an odd token", '{"access_token":"a b"}', "the token endpoint's response has no bearer token"],
    ["much", "x".repeat(70_000), "the token endpoint's response is longer than 64 KiB"],
  ])("a response with %s suspends the sink", async (_, text, message) => {
    respond = () => text;
    expect(await send(open(), { credentials })).toMatchObject({ kind: "suspended", message });
    expect(receiver.requests).toEqual([]);
  });
});

describe("Google", () => {
  test("a service account's signed assertion becomes a token", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256" }] });
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const fields = new URLSearchParams(body);
      const { payload } = await jwtVerify(fields.get("assertion") ?? "", keys, {
        issuer: "writer@project.example",
        audience: tokenUri,
        maxTokenAge: "1m",
      });
      const isRight =
        payload["scope"] === "https://www.googleapis.com/auth/monitoring.write" &&
        fields.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
      response.writeHead(isRight ? 200 : 400);
      response.end(JSON.stringify({ access_token: "ya29.token", expires_in: 3_599, token_type: "Bearer" }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const tokenUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
    const account = {
      ...{ clientEmail: "writer@project.example", privateKeyId: "k1", tokenUri },
      privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    };
    expect(await send(open(), { credentials: { kind: "google", account } })).toMatchObject({
      kind: "delivered",
    });
    expect(receiver.requests[0]?.headers.authorization).toBe("Bearer ya29.token");
    const broken = { ...account, privateKey: "-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----" };
    const outcome = await send(open(), { credentials: { kind: "google", account: broken } });
    expect("message" in outcome && outcome.message).toMatch(
      /^the service account's private key cannot be used: /,
    );
    await new Promise((resolve) => server.close(resolve));
  });
});

/** Signs a received request again, with AWS' own code. Prints the Authorization header. */
const signAgain = `
import datetime, json, sys
import botocore.auth, botocore.awsrequest, botocore.credentials
given = json.load(sys.stdin)
now = datetime.datetime.strptime(given["date"], "%Y%m%dT%H%M%SZ")
class Then(datetime.datetime):
    @classmethod
    def utcnow(cls): return now
botocore.auth.datetime.datetime = Then
if hasattr(botocore.auth, "get_current_datetime"): botocore.auth.get_current_datetime = lambda: now
request = botocore.awsrequest.AWSRequest(
    method="POST", url=given["url"], data=bytes.fromhex(given["body"]), headers=given["headers"])
credentials = botocore.credentials.Credentials("AKIDEXAMPLE", "the-secret-key/+", given.get("token"))
botocore.auth.SigV4Auth(credentials, "aps", "eu-central-1").add_auth(request)
print(request.headers["Authorization"])
`;

describe("AWS", () => {
  const keys = { accessKey: "AKIDEXAMPLE", secretKey: "the-secret-key/+" };
  const login = { kind: "sigv4", region: "eu-central-1", service: "aps" } as const;

  async function signedByAws({ headers, body, path }: ReceivedRequest): Promise<string> {
    const [, signed = ""] = /SignedHeaders=([^,]+),/.exec(headers.authorization ?? "") ?? [];
    const given = {
      url: `http://${headers.host}${path}`,
      body: body.toString("hex"),
      date: headers["x-amz-date"],
      token: headers["x-amz-security-token"],
      headers: Object.fromEntries(
        signed
          .split(";")
          .filter((name) => !["host", "x-amz-date", "x-amz-security-token"].includes(name))
          .map((name) => [name, headers[name]]),
      ),
    };
    const { botocore, python3 } = await findServers(["botocore", "python3"]);
    const env = { ...process.env, ...python3.env, PYTHONPATH: dirname(dirname(botocore.path)) };
    const running = promisify(execFile)(python3.path, ["-c", signAgain], { env });
    running.child.stdin?.end(JSON.stringify(given));
    return (await running).stdout.trim();
  }

  test.each<[string, Sink]>([
    ["plain", { credentials: { ...login, keys } }],
    ["with a session", { credentials: { ...login, keys: { ...keys, sessionToken: "a/session+token==" } } }],
    ["with headers", { credentials: { ...login, keys }, headers: { "x-scope-orgid": "team  a" } }],
  ])("the signature is the one that AWS' own code makes: %s", async (_, sink) => {
    expect(await send(open(), sink)).toMatchObject({ kind: "delivered" });
    const [request] = receiver.requests;
    expect(request?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
    expect(request?.headers.authorization).toBe(request && (await signedByAws(request)));
  });

  test("the environment's keys are used where the operator allows that, and nowhere else", async () => {
    const before = { ...process.env };
    process.env["AWS_ACCESS_KEY_ID"] = keys.accessKey;
    process.env["AWS_SECRET_ACCESS_KEY"] = keys.secretKey;
    try {
      const refused = {
        kind: "invalid",
        message:
          "authentication.sigv4 needs a secretRef, or the operator's permission (delivery.endpoints[].environmentCredentials)",
      };
      expect(await send(open(), { credentials: login, scope: "operator" })).toEqual(refused);
      const allowed = open([{ environmentCredentials: true }]);
      expect(await send(allowed, { credentials: login })).toEqual(refused);
      expect(await send(allowed, { credentials: login, scope: "operator" })).toMatchObject({
        kind: "delivered",
      });
    } finally {
      for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  });
});

describe("a rotated Secret", () => {
  const sigv4 = { kind: "sigv4", region: "eu-central-1", service: "aps" } as const;
  test.each<[string, Credentials, Credentials, RegExp]>([
    [
      "basicAuth",
      { kind: "basicAuth", username: "u", password: "wrong" },
      { kind: "basicAuth", username: "u", password: "right-one" },
      new RegExp(`^Basic ${Buffer.from("u:right-one").toString("base64")}$`),
    ],
    [
      "bearer",
      { kind: "bearer", token: "wrong" },
      { kind: "bearer", token: "right-one" },
      /^Bearer right-one$/,
    ],
    [
      "sigv4",
      { ...sigv4, keys: { accessKey: "AKIDWRONG", secretKey: "wrong" } },
      { ...sigv4, keys: { accessKey: "AKIDRIGHT", secretKey: "right-one" } },
      /^AWS4-HMAC-SHA256 Credential=AKIDRIGHT\//,
    ],
  ])("%s: a wrong one suspends the sink with the remedy; a right one is used at once", async (...row) => {
    const [, wrong, right, accepted] = row;
    receiver.respond(({ headers }) =>
      accepted.test(headers.authorization ?? "") ? undefined : { status: 401, body: "no" },
    );
    let credentials = wrong;
    const destination = open().destinationOf({
      ...{ endpoint: receiver.url, scope: "tenant", tenant: "web" },
      retry: { maxAttempts: 1, backoffMs: 10 },
      credentials: () => credentials,
      interrupt: () => never,
    });
    if (destination.kind === "invalid") throw new Error(destination.message);
    expect(await destination.sender.send(smallRequest(), never)).toMatchObject({
      ...{ kind: "suspended", status: 401 },
      message: expect.stringContaining("check the Secret"),
    });
    credentials = right;
    expect(await destination.sender.send(smallRequest(), never)).toMatchObject({ kind: "delivered" });
  });
});

describe("headers of a policy", () => {
  test("are sent, whatever their case; the operator's take precedence", async () => {
    const endpoints = open([{ headers: { "X-Scope-OrgID": "the-operators" } }]);
    const headers = { "x-scope-orgid": "mine", "x-team": "a" };
    expect(await send(endpoints, { headers, scope: "operator" })).toMatchObject({ kind: "delivered" });
    expect(receiver.requests[0]?.headers).toMatchObject({ "x-scope-orgid": "the-operators", "x-team": "a" });
    // A tenant is not sent with what is the operator's.
    expect(await send(endpoints, { headers })).toMatchObject({ kind: "delivered" });
    expect(receiver.requests[1]?.headers).toMatchObject({ "x-scope-orgid": "mine" });
  });

  test.each<Partial<EndpointSettings>>([
    { headers: { "X-Api-Key": "k" } },
    { bearerTokenFile: "/run/token" },
    { tls: { certFile: "/c", keyFile: "/k" } },
  ])("of a tenant are refused where the operator's credentials are used for it: %j", async (trust) => {
    const outcome = await send(open([{ tenants: true, ...trust }]), {
      headers: { "x-scope-orgid": "other" },
    });
    expect(outcome).toEqual({
      kind: "invalid",
      message: "headers must not be set for this endpoint, since the operator's credentials are used for it",
    });
    expect(receiver.requests).toEqual([]);
  });
});
