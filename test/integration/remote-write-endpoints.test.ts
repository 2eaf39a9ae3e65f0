import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { EndpointSettings } from "../../src/exporter/remote-write/endpoint/endpoint-settings.ts";
import type { Endpoints, EndpointsConfig } from "../../src/exporter/remote-write/endpoints.ts";
import type { Outcome } from "../../src/exporter/remote-write/send/outcome.ts";
import { createSender } from "../../src/exporter/remote-write/send/sender.ts";
import { type Authority, createAuthority } from "../support/net/certificates.ts";
import { startConnectProxy } from "../support/net/connect-proxy.ts";
import { destinationAt, openEndpoints } from "../support/receiver/endpoints.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { never, smallRequest, testDeps, testTarget, testTransport } from "../support/receiver/requests.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

let receiver: Receiver;
let folder: string;
let authority: Authority;

setUpAll(async ({ keep, newFolder }) => {
  receiver = await keep(startReceiver());
  authority = createAuthority();
  folder = await newFolder("endpoints");
  await writeFile(join(folder, "ca.pem"), authority.cert);
});
afterEach(() => {
  receiver.respond(() => undefined);
  receiver.clear();
});

function settings(changes: Partial<EndpointSettings> & { urlPrefix: string }): EndpointSettings {
  const nothing = { headers: {}, tls: {}, externalLabels: {}, dropLabels: [], maxSamplesPerSecond: 0 };
  return { tenants: false, environmentCredentials: false, ...nothing, ...changes };
}

function open(
  list: readonly EndpointSettings[],
  changes: Partial<EndpointsConfig> = {},
  noProxy = "",
): Endpoints {
  const egress = { deny: [], allow: [], trustProxy: true };
  const endpoints = openEndpoints({ endpoints: list, egress, ...changes }, { noProxy });
  onTestFinished(() => endpoints.close());
  return endpoints;
}

function sendThrough(
  endpoints: Endpoints,
  endpoint: string,
  scope: "operator" | "tenant" = "operator",
): Promise<Outcome> {
  return destinationAt(endpoints, endpoint, { scope }).sender.send(smallRequest(), never);
}

describe("egress", () => {
  test.each(["127.0.0.1", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "localhost"])(
    "a tenant does not reach this machine as %s, the operator does",
    async (host) => {
      const endpoint = `http://${host}:${receiver.port}/api/v1/write`;
      const endpoints = open([]);
      const tenant = await sendThrough(endpoints, endpoint, "tenant");
      expect(tenant).toMatchObject({ kind: "forbidden", responseLost: false });
      expect(tenant.kind === "forbidden" && tenant.message).toContain("not a public address");
      expect(receiver.requests).toEqual([]);
      expect(await sendThrough(endpoints, endpoint, "operator")).toMatchObject({ kind: "delivered" });
      // A tenant's request does not reuse the operator's open destination.
      expect(await sendThrough(endpoints, endpoint, "tenant")).toMatchObject({ kind: "forbidden" });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  test("a tenant reaches what is allowed, and nobody what is denied", async () => {
    const allowing = open([], { egress: { deny: [], allow: ["127.0.0.0/8"], trustProxy: false } });
    expect(await sendThrough(allowing, receiver.url, "tenant")).toMatchObject({ kind: "delivered" });
    const denying = open([], { egress: { deny: ["127.0.0.1"], allow: [], trustProxy: false } });
    expect(await sendThrough(denying, receiver.url, "operator")).toMatchObject({ kind: "forbidden" });
  });

  test("a metadata service is refused whatever is allowed", async () => {
    const endpoints = open([], { egress: { deny: [], allow: ["0.0.0.0/0"], trustProxy: false } });
    const outcome = await sendThrough(endpoints, "http://169.254.169.254/latest/api/v1/write", "operator");
    expect(outcome).toMatchObject({ kind: "forbidden" });
  });

  test("of a name's addresses only those that are allowed are used, and the name is looked up once", async () => {
    const asked: string[] = [];
    const responses = ["169.254.169.254", "127.0.0.1"].map((address) => ({ address, family: 4 }));
    const lookup = async (name: string) => {
      asked.push(name);
      // DNS rebinding: the first response passes the check, the second is the address to attack.
      return asked.length === 1 ? responses : responses.slice(0, 1);
    };
    const transport = testTransport({ lookup });
    const endpoint = `http://receiver.test:${receiver.port}/api/v1/write`;
    const retry = { maxAttempts: 1, backoffMs: 1 };
    const send = () =>
      createSender(testTarget({ endpoint, retry }), testDeps({ transport })).send(smallRequest(), never);
    expect(await send()).toMatchObject({ kind: "delivered" });
    expect(asked).toEqual(["receiver.test"]);
    await transport.close();
  });

  test("a name that leads only to what is refused", async () => {
    const lookup = async () => [{ address: "fe80::1", family: 6 }];
    const transport = testTransport({ lookup });
    const target = testTarget({ endpoint: "http://receiver.test/" });
    const outcome = await createSender(target, testDeps({ transport })).send(smallRequest(), never);
    expect(outcome).toMatchObject({ kind: "forbidden" });
    expect(outcome.kind === "forbidden" && outcome.message).toContain("receiver.test: fe80::1 is link-local");
    await transport.close();
  });
});

describe("settings by prefix", () => {
  test("headers, labels, and a token that is read again when its file changes", async () => {
    const bearerTokenFile = join(folder, "token");
    await writeFile(bearerTokenFile, "first\n");
    const urlPrefix = receiver.url.slice(0, -"/v1/write".length);
    const headers = { "X-Scope-OrgID": "acme", "user-agent": "not this" };
    const own = settings({
      urlPrefix,
      headers,
      bearerTokenFile,
      externalLabels: { cluster: "a" },
      dropLabels: ["n"],
    });
    const destination = destinationAt(open([own]), receiver.url);
    expect(destination.encoder().shape).toMatchObject({
      externalLabels: { cluster: "a" },
      dropLabels: ["n"],
    });
    await destination.sender.send(smallRequest(), never);
    await writeFile(bearerTokenFile, "second\n");
    const newest = () => receiver.requests.at(-1)?.headers;
    await until("the new token is sent", async () => {
      await destination.sender.send(smallRequest(), never);
      return newest()?.["authorization"] === "Bearer second";
    });
    expect([receiver.requests[0]?.headers, newest()]).toMatchObject([
      { "x-scope-orgid": "acme", "user-agent": "telemetryd/0.0.0", authorization: "Bearer first" },
      { "x-scope-orgid": "acme", authorization: "Bearer second" },
    ]);
  });

  test("a token that cannot be read suspends the sink, and nothing is sent", async () => {
    const own = settings({ urlPrefix: receiver.url, bearerTokenFile: join(folder, "missing") });
    const outcome = await sendThrough(open([own]), receiver.url);
    expect(outcome).toMatchObject({ kind: "suspended", status: undefined });
    expect(outcome.kind === "suspended" && outcome.message).toContain("missing");
    expect(receiver.requests).toEqual([]);
  });

  test("the policy's own credentials win over the operator's token", async () => {
    const bearerTokenFile = join(folder, "token");
    await writeFile(bearerTokenFile, "operator");
    const endpoints = open([settings({ urlPrefix: receiver.url, bearerTokenFile })]);
    const destination = destinationAt(endpoints, receiver.url, {
      credentials: () => ({ kind: "basicAuth", username: "u", password: "p" }),
    });
    await destination.sender.send(smallRequest(), never);
    expect(receiver.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from("u:p").toString("base64")}`,
    );
  });

  test("a tenant's requests carry nothing of the operator's, unless the entry is for tenants", async () => {
    await using proxy = await startConnectProxy();
    const bearerTokenFile = join(folder, "token");
    await writeFile(bearerTokenFile, "operator");
    const urlPrefix = `http://127.0.0.1:${receiver.port}/tenants/web`;
    const trust = { bearerTokenFile, headers: { "x-api-key": "key" }, proxyUrl: proxy.url };
    const open127 = { egress: { deny: [], allow: ["127.0.0.0/8"], trustProxy: true } };
    const own = open([settings({ urlPrefix, ...trust, dropLabels: ["n"] })], open127);
    const shared = open([settings({ urlPrefix, ...trust, tenants: true })], open127);
    const below = `${urlPrefix}/push`;
    expect(destinationAt(own, below, { scope: "tenant" }).encoder().shape).toMatchObject({
      dropLabels: ["n"],
    });
    for (const [endpoints, endpoint, scope] of [
      [own, below, "tenant"],
      [own, below, "operator"],
      [own, `${urlPrefix}-evil/push`, "operator"],
      [own, `${urlPrefix}/..%2fbank`, "operator"],
      [shared, below, "tenant"],
      [shared, `${urlPrefix}/..%2fbank`, "tenant"],
    ] as const) {
      expect(await sendThrough(endpoints, endpoint, scope)).toMatchObject({ kind: "delivered" });
    }
    const seen = receiver.requests.map(({ headers }) => [headers.authorization, headers["x-api-key"]]);
    const all = ["Bearer operator", "key"];
    const none = [undefined, undefined];
    expect(seen).toEqual([none, all, none, none, all, none]);
    expect(proxy.tunnels).toHaveLength(2);
  });

  test("a tenant does not use the operator's client certificate, nor the authority that only the operator trusts", async () => {
    await using secure = await startReceiver({ tls: { ...authority.issue(), ca: authority.cert } });
    const [certFile, keyFile] = [join(folder, "operator.pem"), join(folder, "operator.key")];
    const client = authority.issue();
    await writeFile(certFile, client.cert);
    await writeFile(keyFile, client.key);
    const tls = { certFile, keyFile, insecureSkipVerify: true };
    const own = open([settings({ urlPrefix: secure.url, tls })], {
      egress: { deny: [], allow: ["127.0.0.0/8"], trustProxy: false },
    });
    expect(await sendThrough(own, secure.url, "operator")).toMatchObject({ kind: "delivered" });
    expect(await sendThrough(own, secure.url, "tenant")).toMatchObject({ kind: "exhausted", reason: "tls" });
    expect(secure.requests).toHaveLength(1);
  });

  test("a rate is kept over all sinks of a prefix", async () => {
    const endpoints = open([settings({ urlPrefix: receiver.url, maxSamplesPerSecond: 100 })]);
    const [one, other] = [destinationAt(endpoints, receiver.url), destinationAt(endpoints, receiver.url)];
    const startMs = performance.now();
    await Promise.all([one.sender.send(smallRequest(30), never), other.sender.send(smallRequest(30), never)]);
    await one.sender.send(smallRequest(1), never);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(595);
  });
});

describe("TLS", () => {
  test("a configured authority besides the system's", async () => {
    await using secure = await startReceiver({ tls: authority.issue() });
    const own = settings({ urlPrefix: secure.url, tls: { caFile: join(folder, "ca.pem") } });
    expect(await sendThrough(open([own]), secure.url)).toMatchObject({ kind: "delivered" });
    expect(await sendThrough(open([]), secure.url)).toMatchObject({ kind: "exhausted", reason: "tls" });
    const careless = settings({ urlPrefix: secure.url, tls: { insecureSkipVerify: true } });
    expect(await sendThrough(open([careless]), secure.url)).toMatchObject({ kind: "delivered" });
  });

  test("the certificate's name counts, and may be another one than the URL's", async () => {
    await using secure = await startReceiver({ tls: authority.issue(["receiver.internal"]) });
    const tls = { caFile: join(folder, "ca.pem") };
    const wrong = await sendThrough(open([settings({ urlPrefix: secure.url, tls })]), secure.url);
    expect(wrong).toMatchObject({ kind: "exhausted", reason: "tls", responseLost: false });
    const named = settings({ urlPrefix: secure.url, tls: { ...tls, serverName: "receiver.internal" } });
    expect(await sendThrough(open([named]), secure.url)).toMatchObject({ kind: "delivered" });
  });

  test("a client certificate, where the receiver wants one; renewed files serve the next connection", async () => {
    const server = { ...authority.issue(), ca: authority.cert };
    await using secure = await startReceiver({ tls: server });
    const [certFile, keyFile] = [join(folder, "client.pem"), join(folder, "client.key")];
    const tls = { caFile: join(folder, "ca.pem"), certFile, keyFile };
    const strange = createAuthority().issue();
    await writeFile(certFile, strange.cert);
    await writeFile(keyFile, strange.key);
    const endpoints = open([settings({ urlPrefix: secure.url, tls })]);
    const refused = await sendThrough(endpoints, secure.url);
    expect(refused).toMatchObject({ kind: "exhausted" });
    expect(secure.requests).toEqual([]);
    const client = authority.issue();
    await writeFile(certFile, client.cert);
    await writeFile(keyFile, client.key);
    expect(await sendThrough(endpoints, secure.url)).toMatchObject({ kind: "delivered" });
  });

  test("nothing older than TLS 1.2", async () => {
    await using old = await startReceiver({
      tls: { ...authority.issue(), maxVersion: "TLSv1.1", minVersion: "TLSv1" },
    });
    const own = settings({ urlPrefix: old.url, tls: { caFile: join(folder, "ca.pem") } });
    expect(await sendThrough(open([own]), old.url)).toMatchObject({ kind: "exhausted", reason: "tls" });
  });

  test("files that cannot be used keep the sink from sending, with a message", async () => {
    const own = settings({ urlPrefix: "https://127.0.0.1/", tls: { caFile: join(folder, "none.pem") } });
    const outcome = await sendThrough(open([own]), "https://127.0.0.1/");
    expect(outcome).toMatchObject({ kind: "exhausted", responseLost: false });
    expect(outcome.kind === "exhausted" && outcome.message).toContain("none.pem");
  });
});

describe("proxies", () => {
  test("through a tunnel, to http and https", async () => {
    await using proxy = await startConnectProxy("user:pass");
    await using secure = await startReceiver({ tls: authority.issue() });
    const proxyUrl = proxy.url.replace("//", "//user:pass@");
    const tls = { caFile: join(folder, "ca.pem") };
    const endpoints = open([
      settings({ urlPrefix: receiver.url, proxyUrl }),
      settings({ urlPrefix: secure.url, proxyUrl, tls }),
    ]);
    expect(await sendThrough(endpoints, receiver.url)).toMatchObject({ kind: "delivered" });
    expect(await sendThrough(endpoints, secure.url)).toMatchObject({ kind: "delivered" });
    expect(proxy.tunnels).toEqual([`127.0.0.1:${receiver.port}`, `127.0.0.1:${secure.port}`]);
    expect(receiver.requests[0]?.headers).not.toHaveProperty("proxy-authorization");
  });

  test("one that wants credentials suspends the sink", async () => {
    await using proxy = await startConnectProxy("user:pass");
    const outcome = await sendThrough(
      open([settings({ urlPrefix: receiver.url, proxyUrl: proxy.url })]),
      receiver.url,
    );
    expect(outcome).toMatchObject({ kind: "suspended", status: 407 });
  });

  test("a header that cannot be sent is an outcome, not a fault of the program", async () => {
    for (const headers of [{ "proxy-authorization": "Basic eDp5" }, { "x-broken": "a\nb" }]) {
      const own = settings({ urlPrefix: receiver.url, proxyUrl: "http://127.0.0.1:1", headers });
      const outcome = await sendThrough(open([own]), receiver.url);
      expect(outcome).toMatchObject({ kind: "exhausted", responseLost: false });
    }
  });

  test("one that is not there is tried again", async () => {
    const own = settings({ urlPrefix: receiver.url, proxyUrl: "http://127.0.0.1:1" });
    const outcome = await sendThrough(open([own]), receiver.url);
    expect(outcome).toMatchObject({ kind: "exhausted", reason: "connect", responseLost: false });
  });

  test("only where the operator says that it is to be trusted", () => {
    const egress = { deny: [], allow: [], trustProxy: false };
    const endpoints = open([settings({ urlPrefix: receiver.url, proxyUrl: "http://127.0.0.1:1" })], {
      egress,
    });
    const destination = endpoints.destinationOf({
      endpoint: receiver.url,
      scope: "operator",
      tenant: "directory",
      retry: { maxAttempts: 1, backoffMs: 1 },
      credentials: () => undefined,
      interrupt: () => never,
    });
    expect(destination).toMatchObject({ kind: "invalid" });
  });

  test("NO_PROXY goes directly, with the address checked", async () => {
    await using proxy = await startConnectProxy();
    const own = settings({ urlPrefix: receiver.url, proxyUrl: proxy.url });
    const endpoints = open([own], {}, "127.0.0.0/8");
    expect(await sendThrough(endpoints, receiver.url)).toMatchObject({ kind: "delivered" });
    expect(await sendThrough(endpoints, receiver.url, "tenant")).toMatchObject({ kind: "forbidden" });
    expect(proxy.tunnels).toEqual([]);
  });
});
