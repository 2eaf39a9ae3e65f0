import "../support/leak-check.ts";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { describe, expect, test } from "vitest";
import { sleep } from "../../src/base/core/clock.ts";
import { type Echo, type GatewayBackend, startGatewayBackend } from "../support/gateway/gateway-backend.ts";
import { domain, type RunningGateway, startGateway } from "../support/gateway/running-gateway.ts";
import { type ConnectedKubectl, connectKubectl } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** HTTP proxies as their users see them: kubectl on one side, HTTP on the other. */

let platform: TestPlatform;
let connected: ConnectedKubectl;
let gateway: RunningGateway;
let backend: GatewayBackend;
let kubectl: Kubectl;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  platform = await keep(
    startTestPlatform({
      gateway: { domain },
      isAllowed: (address) => address === "127.0.0.1",
    }),
  );
  gateway = await keep(startGateway({ platform }));
  connected = await keep(connectKubectl(platform));
  await connected.createProject();
  kubectl = connected.project;
});

interface Rule {
  readonly [field: string]: unknown;
}

const manifest = (name: string, ...rules: Rule[]) => ({
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name } },
  spec: { rules: rules.map((rule) => ({ backends: [{ endpoint: backend.url }], ...rule })) },
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

function get(host: string, path = "/", tls = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = tls ? requestTls : request;
    const options = {
      ...{ host: "127.0.0.1", port: tls ? gateway.tlsPort : gateway.port, path, agent: false as const },
      ...{ headers: { Host: host }, servername: host, ca: gateway.authority.cert },
    };
    const sent = send(options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** Waits until a request gets what is expected. */
async function untilAnswer(host: string, isAsExpected: (answer: Answer) => boolean): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const answer = await get(host, "/");
    if (isAsExpected(answer)) return;
    if (performance.now() - startedMs > 30_000) throw new Error(`still ${answer.status}: ${answer.text}`);
    await sleep(10, new AbortController().signal);
  }
}

const hostnameOf = async (name: string): Promise<string> => {
  await kubectl.ok("wait", "--for=condition=Programmed", `httpproxy/${name}`, "--timeout=30s");
  return await kubectl.ok("get", "httpproxy", name, "-o", "jsonpath={.status.hostname}");
};

describe("from kubectl to a response", () => {
  test("a proxy is reached, its edits are live, and deleted it gives 404", async () => {
    await kubectl.file(manifest("page", {}), "apply");
    const host = await hostnameOf("page");
    const first = await get(host, "/hello?x=1");
    expect(first.status).toBe(200);
    expect((JSON.parse(first.text) as Echo).url).toBe("/hello?x=1");
    expect((await get(host, "/", true)).status).toBe(200);

    const filters = [{ type: "RequestRedirect", requestRedirect: { hostname: "other.example" } }];
    await kubectl.file(manifest("page", { backends: [], filters }), "apply");
    await untilAnswer(host, ({ status }) => status === 302);
    await kubectl.ok("delete", "httpproxy", "page");
    await untilAnswer(host, ({ status }) => status === 404);
    const children = () => kubectl.ok("get", "gateways,httproutes,endpointslices", "-o", "name");
    await until("what it was made of is gone", async () => (await children()) === "");
  });

  test("an https endpoint that is an address: the proxy, its events and the response say why", async () => {
    await kubectl.file(manifest("bare", { backends: [{ endpoint: "https://127.0.0.1:8443" }] }), "apply");
    const host = await hostnameOf("bare");
    const reason =
      "requests are not forwarded to https://127.0.0.1 (its certificate can be verified only by a host name";
    const described = () => kubectl.ok("describe", "httpproxy", "bare");
    await until("the events are there", async () => (await described()).split(reason).length >= 3);
    const { status, text } = await get(host);
    expect([status, text]).toEqual([
      503,
      expect.stringContaining("its endpoint is an address, not a host name"),
    ]);
  });

  test("children that somebody edits or deletes are put back, and requests are served again", async () => {
    await kubectl.file(manifest("kept", {}), "apply");
    const host = await hostnameOf("kept");
    await kubectl.ok("delete", "httproute", "kept", "--wait=false");
    await kubectl.ok("patch", "endpointslice", "kept-0-0", "--type=merge", "-p", '{"ports":[]}');
    const isBack = async (): Promise<boolean> => {
      const port = "jsonpath={.ports[0].port}";
      const route = await kubectl.run(["get", "httproute", "kept"]);
      const shown = await kubectl.ok("get", "endpointslice", "kept-0-0", "-o", port);
      return route.code === 0 && shown === String(backend.port);
    };
    await until("they are back", isBack);
    await untilAnswer(host, ({ status }) => status === 200);
    await kubectl.ok("delete", "httpproxy", "kept");
  });
});

describe("a hostile tenant", () => {
  const hostile = [
    ...["' if TRUE", '" }', "\\", "%[env(PATH)]", "$HOME", "`id`", "a # b", "--", "-f /etc/passwd", "}{"],
    ...["%{+Q}o", "%%", "a\tb", "{ always_true }", "lua.run", "é", "日本", ",", "(", ")"],
  ];

  test("300 values that try to become configuration are values, and others notice nothing", async () => {
    await kubectl.file(manifest("calm", {}), "apply");
    const calm = await hostnameOf("calm");
    const header = (name: string, index: number) => ({
      name: `x-${index}`,
      value: `${hostile[index % hostile.length]}${name}`,
    });
    const rules = Array.from({ length: 15 }, (_, rule) => ({
      matches: [{ path: { type: "Exact", value: `/${rule}` } }],
      filters: [
        {
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: Array.from({ length: 16 }, (_, index) => header("s", rule + index)) },
        },
        {
          type: "ResponseHeaderModifier",
          responseHeaderModifier: { add: Array.from({ length: 5 }, (_, index) => header("a", rule + index)) },
        },
      ],
    }));
    await kubectl.file(manifest("hostile", ...rules), "apply");
    const host = await hostnameOf("hostile");
    for (let rule = 0; rule < 15; rule++) {
      const { status, text } = await get(host, `/${rule}`);
      expect(status).toBe(200);
      const { headers } = JSON.parse(text) as Echo;
      for (let index = 0; index < 16; index++) {
        const { name, value } = header("s", rule + index);
        const sent = headers.find(([each]) => each.toLowerCase() === name)?.[1];
        expect(Buffer.from(sent ?? "", "latin1").toString()).toBe(value);
      }
    }
    expect((await get(calm)).status).toBe(200);
  });

  test.each([
    "http://169.254.169.254",
    "http://10.0.0.1",
    "http://100.100.100.200",
    "http://[fd00:ec2::254]",
  ])("nothing forbidden is reached: %s", async (endpoint) => {
    const name = `forbidden-${endpoint.replace(/[^0-9a-f]/g, "")}`;
    const spec = { rules: [{ backends: [{ endpoint }] }] };
    const input = JSON.stringify({ ...manifest(name), spec });
    const printed = await kubectl.run(["apply", "-f", "-"], { input });
    if (printed.code !== 0) {
      expect(printed.err).toContain("spec.rules[0].backends[0].endpoint[host]: Invalid value");
      return;
    }
    const host = await hostnameOf(name);
    expect((await get(host)).status).toBe(502);
    const message = await kubectl.ok(
      ...["get", "httpproxy", name, "-o"],
      "jsonpath={.status.conditions[?(@.type=='Programmed')].message}",
    );
    expect(message).toMatch(/is not a public address|never allowed/);
  });

  test("the gateway's own address is refused", async () => {
    const spec = { rules: [{ backends: [{ endpoint: `http://127.0.0.1:${gateway.port}` }] }] };
    await kubectl.file({ ...manifest("own"), spec }, "apply");
    expect((await get(await hostnameOf("own"))).status).toBe(502);
  });
});
