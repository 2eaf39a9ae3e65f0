import "../support/leak-check.ts";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { challengeOf } from "../../src/platform/controllers/gateway/hostname-proofs.ts";
import { createHostnameClaims } from "../../src/platform/routing/hostname-claims.ts";
import { type GatewayBackend, startGatewayBackend } from "../support/gateway/gateway-backend.ts";
import { send } from "../support/gateway/gateway-request.ts";
import { programOf } from "../support/gateway/route-program.ts";
import { domain, type RunningGateway, startGateway } from "../support/gateway/running-gateway.ts";
import { type NameServer, startNameServer } from "../support/net/name-server.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { type Body, ComputePlane, condition } from "../support/provider/compute-plane.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** Hostnames of proxies and Gateways: proven in a real name server's protocol, served by a real HAProxy. */

let platform: TestPlatform;
let gateway: RunningGateway;
let backend: GatewayBackend;
let names: NameServer;
let redis: Redis;
let bearer: string;
/** TXT records by name. */
const records = new Map<string, string[]>();

setUpAll(async ({ keep }) => {
  names = await keep(
    startNameServer((name) => {
      const txt = records.get(name);
      return txt === undefined ? "NXDOMAIN" : { txt };
    }),
  );
  backend = await keep(startGatewayBackend());
  platform = await keep(
    startTestPlatform({
      gateway: {
        domain,
        nameServers: [names.address],
        zones: [{ domain: "zone.example", project: "zoned" }],
      },
      isAllowed: (address) => address.startsWith("127."),
    }),
  );
  redis = await keep(new Redis(platform.redis.url));
  gateway = await keep(startGateway({ platform }));
  bearer = await platform.exchange(platform.token);
});

const create = (name: string) => ComputePlane.create(platform, bearer, name);
const proxyOf = (name: string, hostnames: string[]): Body => ({
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name } },
  spec: { hostnames, rules: [{ backends: [{ endpoint: backend.url }] }] },
});
const touch = (plane: ComputePlane, name: string, kind: "httpproxies" | "gateways" = "httpproxies") =>
  plane.patch(kind === "gateways" ? "gateway" : "networking", kind, name, {
    metadata: { labels: { touched: String(Math.random()) } },
  });

async function stateOf(plane: ComputePlane, name: string): Promise<string> {
  const found = condition(await plane.get("networking", "httpproxies", name), "HostnamesVerified");
  return found === undefined ? "" : `${found.status} ${found.reason}: ${found.message}`;
}

async function becomes(plane: ComputePlane, name: string, state: string | RegExp): Promise<string> {
  let seen = "";
  await until(`hostnames of ${name} are ${state}`, async () => {
    seen = await stateOf(plane, name);
    return typeof state === "string" ? seen.startsWith(state) : state.test(seen);
  });
  return seen;
}

const statusAt = async (host: string, path = "/") =>
  (await send(gateway.port, programOf([]), { host, path })).status;
const isServed = (host: string, status = 200) =>
  until(`${host} has ${status}`, async () => (await statusAt(host)) === status);
const projectOf = async (plane: ComputePlane, name: string): Promise<string> => {
  const message = await becomes(plane, name, "False HostnameNotVerified");
  return message;
};

/** Creates the record that a condition asks for. */
function prove(message: string): string {
  const [, name = "", value = ""] = /TXT record (\S+) with the value (\S+);/.exec(message) ?? [];
  records.set(name, [value, "something else"]);
  return name;
}

test("a proxy's hostname is served once its record is there, and until the proxy is deleted", async () => {
  const plane = await create("proven");
  await plane.create("networking", "httpproxies", proxyOf("p", ["www.example.com"]));
  const message = await projectOf(plane, "p");
  expect(message).toMatch(
    /: www\.example\.com: create the DNS TXT record _telemetryd-challenge\.www\.example\.com with the value telemetryd-project=[0-9a-f]{40}; /,
  );
  const own = (await plane.get("networking", "httpproxies", "p")).status.hostname;
  await isServed(own);
  expect(await statusAt("www.example.com")).toBe(404);
  prove(message);
  await becomes(plane, "p", "True HostnamesVerified");
  await isServed("www.example.com");
  await isServed(own);
  await until("the status has the hostname", async () => {
    const { hostnames } = (await plane.get("networking", "httpproxies", "p")).status;
    return String(hostnames) === `${own},www.example.com`;
  });
  // Losing the record does not stop it.
  records.clear();
  await touch(plane, "p", "gateways");
  expect(await statusAt("www.example.com")).toBe(200);
  await plane.patch("networking", "httpproxies", "p", { spec: { hostnames: null } });
  await isServed("www.example.com", 404);
  await until("the condition is gone", async () => (await stateOf(plane, "p")) === "");
  await isServed(own);
});

test("the first proof wins; others learn nothing of it; a deletion frees the hostname", async () => {
  const [first, second] = [await create("first"), await create("second")];
  await first.create("networking", "httpproxies", proxyOf("p", ["shop.example.org"]));
  const challenge = await projectOf(first, "p");
  await second.create("networking", "httpproxies", proxyOf("q", ["shop.example.org"]));
  const other = await projectOf(second, "q");
  const name = prove(challenge);
  await becomes(first, "p", "True HostnamesVerified");
  // A record for each: both could prove it.
  const [, value = ""] = /with the value (\S+);/.exec(other) ?? [];
  records.get(name)?.push(value);
  expect(records.get(name)).toHaveLength(3);
  await touch(second, "q", "gateways");
  const refusal = await becomes(second, "q", "False HostnameInUse");
  expect(refusal).toContain("shop.example.org: the hostname is in use, or reserved by the operator");
  expect(refusal).not.toMatch(/first|acme|[0-9a-f]{8}-/);
  await first.delete("networking", "httpproxies", "p");
  await isServed("shop.example.org", 404);
  await until("the claim is released", async () => {
    return (await createHostnameClaims(redis).of(["shop.example.org"]))[0] === undefined;
  });
  await touch(second, "q", "gateways");
  await becomes(second, "q", "True HostnamesVerified");
  await isServed("shop.example.org");
});

test("a wildcard is not in the way of another project's proof of one name", async () => {
  const [wide, exact] = [await create("wide"), await create("exact")];
  await wide.create("networking", "httpproxies", proxyOf("p", ["*.example.net"]));
  prove(await projectOf(wide, "p"));
  await becomes(wide, "p", "True HostnamesVerified");
  const { uid: wideUid } = (await wide.get("gateway", "gateways", "p")).metadata;
  await exact.create("networking", "httpproxies", proxyOf("q", ["a.example.net"]));
  prove(await projectOf(exact, "q"));
  await becomes(exact, "q", "True HostnamesVerified");
  await isServed("b.example.net");
  await until("each has its own", async () => {
    const via = async (host: string) =>
      (await send(gateway.port, programOf([]), { host })).echo.headers.find(([name]) =>
        /^via$/i.test(name),
      )?.[1];
    return (
      (await via("b.example.net"))?.includes(wideUid) === true &&
      (await via("a.example.net"))?.includes(wideUid) === false
    );
  });
});

test.each([
  ["gateway.domain itself", domain],
  ["a name below gateway.domain", `x.${domain}`],
  ["another project's zone", "a.zone.example"],
  ["a wildcard around another project's zone", "*.zone.example"],
])("%s cannot be claimed, whatever is proven", async (_, hostname) => {
  const plane = await create(`greedy-${hostname.replaceAll(/[^a-z]/g, "")}`);
  const { uid } = await uidOf(plane);
  const { name, value } = challengeOf(hostname, uid);
  records.set(name, [value]);
  await plane.create("networking", "httpproxies", proxyOf("p", [hostname]));
  await becomes(plane, "p", "False HostnameInUse");
  expect(names.asked).not.toContain(`${name} 16`);
});

async function uidOf(plane: ComputePlane): Promise<{ uid: string }> {
  const base = "/apis/resourcemanager.platformapis/v1alpha/organizations/acme/control-plane";
  const path = `${base}/apis/resourcemanager.platformapis/v1alpha/projects/${plane.name}`;
  const { json } = await platform.fetch(path, { bearer });
  return { uid: String(json.metadata.uid) };
}

test("a project has the hostnames of its zone without a proof", async () => {
  const plane = await create("zoned");
  await plane.create("networking", "httpproxies", proxyOf("p", ["any.zone.example", "*.zone.example"]));
  await becomes(plane, "p", "True HostnamesVerified");
  await isServed("any.zone.example");
  await isServed("other.zone.example");
  expect(names.asked.filter((each) => each.includes("zone.example"))).toEqual([]);
});

test("listeners and routes: the requests of both hostnames, the most specific first", async () => {
  const plane = await create("routes");
  records.set("_telemetryd-challenge.gw.example", []);
  const gatewayOf = {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name: "g" } },
    spec: {
      gatewayClassName: "external-global-proxy",
      listeners: [
        { name: "wild", port: 80, protocol: "HTTP", hostname: "*.gw.example" },
        { name: "any", port: 80, protocol: "HTTP" },
      ],
    },
  };
  const routeOf = (name: string, sectionName: string, hostnames: string[], statusCode: number): Body => ({
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name } },
    spec: {
      parentRefs: [{ name: "g", sectionName }],
      ...(hostnames.length === 0 ? {} : { hostnames }),
      rules: [
        { filters: [{ type: "RequestRedirect", requestRedirect: { statusCode, hostname: "x.example" } }] },
      ],
    },
  });
  await plane.create("gateway", "gateways", gatewayOf);
  const acceptedOf = async (name: string) => {
    const { parents } = (await plane.get("gateway", "httproutes", name)).status;
    const found = parents[0]?.conditions.find(({ type }: Body) => type === "Accepted");
    return `${found?.status} ${found?.reason}: ${found?.message}`;
  };
  await plane.create("gateway", "httproutes", routeOf("all", "wild", [], 301));
  await plane.create(
    "gateway",
    "httproutes",
    routeOf("one", "wild", ["one.gw.example", "one.other.example"], 302),
  );
  await plane.create("gateway", "httproutes", routeOf("own", "any", [], 303));
  await plane.create("gateway", "httproutes", routeOf("far", "wild", ["far.example"], 307));
  await until("the route is refused", async () => /HostnameNotVerified/.test(await acceptedOf("all")));
  const noHostname =
    "False NoMatchingListenerHostname: No listener of the Gateway has a hostname of the route";
  await until("the other route has no listener", async () => (await acceptedOf("far")) === noHostname);
  const found = await plane.get("gateway", "gateways", "g");
  expect(condition(found, "Accepted")).toMatchObject({ status: "True", reason: "ListenersNotValid" });
  prove(await acceptedOf("all"));
  await touch(plane, "g", "gateways");
  await isServed("a.gw.example", 301);
  await until(
    "the route is accepted",
    async () => (await acceptedOf("one")) === "True Accepted: Route is accepted",
  );
  const own = `${found.metadata.uid}.${domain}`;
  await until("each host has its route", async () => {
    const seen = await Promise.all(
      ["a.gw.example", "one.gw.example", own, "gw.example", "one.other.example"].map((host) =>
        statusAt(host),
      ),
    );
    return String(seen) === "301,302,303,404,404";
  });
});
