import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kube-server/api/object.ts";
import { TestGateway } from "../support/gateway/test-gateway.ts";
import { connectKubectl, kubectlBinary, listOf } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { startTestPlatform } from "../support/plane/platform.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** HTTP proxies through the real kubectl, with a gateway that loads programs and forwards nothing. */

let k: Kubectl;
let gateway: TestGateway;

setUpAll(async ({ keep }) => {
  const platform = await keep(
    startTestPlatform({
      gateway: { domain: "proxy.localhost" },
      isAllowed: (address) => address === "127.0.0.2",
    }),
  );
  gateway = await keep(new TestGateway(platform));
  gateway.start();
  const kubectl = await keep(connectKubectl(platform));
  k = kubectl.project;
  if (kubectlBinary !== undefined) await kubectl.createProject();
});

const proxyOf = (name: string, rules: Json) => ({
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name } },
  spec: { rules },
});
const to = (...endpoints: string[]) => ({ backends: endpoints.map((endpoint) => ({ endpoint })) });

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  test("apply a proxy, and wait until it is programmed", async () => {
    const proxy = proxyOf("x", [to("https://example.com")]);
    expect(await k.file(proxy, "apply")).toBe("httpproxy.networking.platformapis/x created\n");
    await k.ok("wait", "--for=condition=Programmed", "httpproxy/x", "--timeout=30s");
    // The list of rules has defaults inside, hence kubectl sends it again; nothing changes.
    await k.file(proxy, "apply");
    expect(await k.ok("get", "httpproxy", "x", "-o", "jsonpath={.metadata.generation}")).toBe("1");
  });

  test("the only class of gateways is accepted, and can only be read", async () => {
    const [header, row, ...others] = (await k.ok("get", "gatewayclasses")).trim().split("\n");
    expect(header).toMatch(/^NAME +CONTROLLER +ACCEPTED +AGE$/);
    expect(row).toMatch(/^external-global-proxy +gateway\.networking\.platformapis\/external\S+ +True +\S+$/);
    expect(others).toEqual([]);
    await k.ok("wait", "--for=condition=Accepted", "gc/external-global-proxy", "--timeout=10s");
    const deleted = await k.run(["delete", "gc", "external-global-proxy"]);
    expect([deleted.code, deleted.err]).toEqual([1, expect.stringContaining("MethodNotAllowed")]);
  });

  test("gateways and routes in v1beta1: the same objects, each in the version asked for", async () => {
    const group = "gateway.networking.k8s.io";
    const [gateways, routes] = [`gateways.v1beta1.${group}`, `httproutes.v1beta1.${group}`];
    expect(await k.ok("api-versions")).toContain(`${group}/v1\n${group}/v1beta1\n`);
    expect(await k.ok("get", "gtw", "x", "-o", "jsonpath={.apiVersion}")).toBe(`${group}/v1`);
    expect(await k.ok("get", gateways, "x", "-o", "jsonpath={.apiVersion}")).toBe(`${group}/v1beta1`);
    const explained = await k.ok("explain", "gateways.spec", `--api-version=${group}/v1beta1`);
    expect(explained).toMatch(/VERSION: +v1beta1[\s\S]*listeners/);

    const route = (version: string, path: string) => ({
      ...{ apiVersion: `${group}/${version}`, kind: "HTTPRoute", metadata: { name: "both" } },
      spec: {
        parentRefs: [{ name: "x" }],
        rules: [{ matches: [{ path: { type: "Exact", value: path } }] }],
      },
    });
    const shown = "jsonpath={.apiVersion} {.spec.rules[0].matches[0].path.value} {.metadata.labels.a}{'\\n'}";
    const watches = [
      k.start("get", routes, "--watch", "-o", shown),
      k.start("get", "httproutes", "--watch", "-o", shown),
    ];
    const apply = ["apply", "--server-side", "--field-manager=git"];
    await k.file(route("v1beta1", "/old"), ...apply);
    // The same manager goes on in the other version: nothing is in conflict.
    await k.file(route("v1", "/new"), ...apply);
    const patch = '{"metadata":{"labels":{"a":"b"}}}';
    await k.ok("patch", routes, "both", "--type=merge", "-p", patch);
    for (const [index, version] of ["v1beta1", "v1"].entries()) {
      await watches[index]?.sees(`${group}/${version} /new b\n`);
      for (const line of watches[index]?.lines() ?? []) expect(line).toMatch(`${group}/${version} `);
      await watches[index]?.stop();
    }
    const managers = "jsonpath={.metadata.managedFields[?(@.operation=='Apply')].apiVersion}";
    expect(await k.ok("get", routes, "both", "--show-managed-fields", "-o", managers)).toBe(`${group}/v1`);
    await k.ok("delete", routes, "both");
    expect((await k.run(["get", "httproute", "both"])).err).toMatch(/not found/);
  });

  test.each<[resource: string, columns: string, row: RegExp]>([
    ["httpproxies", "NAME HOSTNAME PROGRAMMED AGE", /^x +[0-9a-f-]{36}\.proxy\.localhost +True +\d+s/],
    [
      "gateways",
      "NAME CLASS ADDRESS PROGRAMMED AGE",
      /^x +external-global-proxy +[0-9a-f-]{36}\.proxy\.localhost +True +\d+s/,
    ],
    ["httproutes", "NAME HOSTNAMES AGE", /^x +\d+s/],
    ["endpointslices", "NAME ADDRESSTYPE PORTS ENDPOINTS AGE", /^x-0-0 +FQDN +443 +example\.com +\d+s/],
  ])("get and explain %s", async (resource, columns, expected) => {
    const rowsOf = async () => (await k.ok("get", resource)).split("\n");
    // The gateway may still be loading what the test before has changed.
    await until("the row is as expected", async () => expected.test((await rowsOf())[1] ?? ""));
    const [[header = ""], explained] = await Promise.all([rowsOf(), k.ok("explain", resource)]);
    expect(header.trim().split(/ +/).join(" ")).toBe(columns);
    expect(explained).toContain("DESCRIPTION:");
  });

  test("describe; the gateway's category; a slice takes a strategic merge", async () => {
    expect(await k.ok("describe", "httpproxy", "x")).toMatch(/The HTTPProxy has been programmed/);
    const all = await k.ok("get", "gateway-api", "-o", "name");
    expect(all.trim().split("\n").sort()).toEqual([
      "gateway.gateway.networking.k8s.io/x",
      "gatewayclass.gateway.networking.k8s.io/external-global-proxy",
      "httproute.gateway.networking.k8s.io/x",
    ]);
    const patch = JSON.stringify({ metadata: { labels: { own: "yes" } } });
    await k.ok("patch", "endpointslice", "x-0-0", "--type=strategic", "-p", patch);
    expect(await k.ok("get", "endpointslice", "-l", "own=yes", "-o", "name")).toMatch(/x-0-0/);
  });

  test.each<[what: string, rule: Json, faults: string[]]>([
    ["no scheme", to("example.com"), ["spec.rules[0].backends[0].endpoint[scheme]"]],
    ["two backends", to("http://a.example", "http://b.example"), ["spec.rules[0].backends: Too many: 2"]],
    ["no backend", {}, ["a backend is required unless a RequestRedirect filter is present"]],
    ["a password", to("http://u:p@a.example"), ['"u:redacted": endpoint must not have a userinfo component']],
    ["a path", to("http://a.example/"), ["endpoint must not have a path component"]],
    ["loopback", to("http://127.0.0.1"), ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]],
    ["an allowed address", to("http://127.0.0.2"), []],
    ["a private address", to("http://10.1.2.3"), []],
    [
      "one label",
      to("http://localhost"),
      ["should be a domain with at least two segments separated by dots"],
    ],
    [
      "a regular expression",
      { ...to("http://a.example"), matches: [{ path: { type: "RegularExpression", value: "/.*" } }] },
      ['Unsupported value: "RegularExpression"'],
    ],
  ])("%s", async (_, rule, faults) => {
    const { code, out, err } = await k.run(["create", "--dry-run=server", "-f", "-"], {
      input: JSON.stringify(proxyOf("y", [rule])),
    });
    for (const fault of faults) expect(err).toContain(fault);
    if (faults.length > 0) expect(err).toMatch(/^The HTTPProxy "y" is invalid: /);
    else expect([out, code]).toEqual(["httpproxy.networking.platformapis/y created (server dry run)\n", 0]);
  });

  test("an edit shows until the gateway has loaded it", async () => {
    gateway.isHeld = true;
    await k.file(proxyOf("x", [to("https://other.example")]), "apply");
    const waiting = ["--for=jsonpath={.status.conditions[1].status}=False", "--timeout=30s"];
    await k.ok("wait", "httpproxy/x", ...waiting);
    gateway.isHeld = false;
    await k.ok("wait", "--for=condition=Programmed", "httpproxy/x", "--timeout=30s");
    expect(gateway.find("x")?.rules[0]?.action).toMatchObject({ backend: { host: "other.example" } });
  });

  test("delete a proxy, a gateway of one's own, and the namespace of another", async () => {
    await k.ok("delete", "httpproxy", "x", "--timeout=30s");
    await k.ok("wait", "--for=delete", "gateway/x", "--timeout=30s");
    expect(await k.ok("get", "gateways,httproutes,endpointslices")).toBe("");
    expect(gateway.find("x")).toBeUndefined();
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "far" } };
    const far = { ...proxyOf("z", [to("http://a.example")]), metadata: { name: "z", namespace: "far" } };
    await k.file(listOf(namespace, far), "create");
    await k.ok("wait", "-n", "far", "--for=condition=Programmed", "httpproxy/z", "--timeout=30s");
    await k.ok("delete", "namespace", "far", "--timeout=60s");
    expect(gateway.programs.size).toBe(0);
  });
});
