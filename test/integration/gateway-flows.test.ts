import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import { TestGateway } from "../support/gateway/test-gateway.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import type { WatchEventLine } from "../support/plane/watch-client.ts";
import { type Body, type ComputeGroup, ComputePlane, condition } from "../support/provider/compute-plane.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** The flows of HTTP proxies, with a gateway that loads programs and forwards nothing. */

const domain = "proxy.localhost";
let platform: TestPlatform;
let gateway: TestGateway;
let bearer: string;

setUpAll(async ({ keep }) => {
  platform = await keep(startTestPlatform({ gateway: { domain } }));
  bearer = await platform.exchange(platform.token);
  gateway = await keep(new TestGateway(platform));
  gateway.start();
});

const create = (name: string) => ComputePlane.create(platform, bearer, name);

const proxyOf = (name: string, ...endpoints: string[]): Body => ({
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name } },
  spec: {
    rules: endpoints.map((endpoint, index) => ({
      ...(index === 0 ? {} : { matches: [{ path: { type: "PathPrefix", value: `/${index}` } }] }),
      backends: [{ endpoint }],
    })),
  },
});
const isProgrammed = {
  ...{ type: "Programmed", status: "True", reason: "Programmed", message: "it is" },
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const gatewayOf = (name: string): Body => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name } },
  spec: {
    gatewayClassName: "external-global-proxy",
    listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
  },
});
const routeOf = (name: string, parentRefs: Body[], rule: Body = {}): Body => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: { name } },
  spec: { parentRefs, rules: [rule] },
});
const sliceOf = (name: string, address: string, ready = true): Body => ({
  ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: { name } },
  ...{ addressType: "IPv4", endpoints: [{ addresses: [address], conditions: { ready } }] },
  ports: [{ name: "http", port: 8080 }],
});
const toSlice = (name: string): Body => ({
  backendRefs: [{ group: "discovery.k8s.io", kind: "EndpointSlice", name, port: 8080 }],
});

const stateOf = (object: Body, type = "Programmed") => {
  const { status, reason } = condition(object, type) ?? {};
  return `${status} ${reason}`;
};

async function becomes(
  plane: ComputePlane,
  [group, resource, name]: readonly [ComputeGroup, string, string],
  state: string,
): Promise<Body> {
  let found: Body;
  let seen = "";
  await until(`${resource}/${name} is ${state}`, async () => {
    found = await plane.get(group, resource, name);
    seen = stateOf(found);
    return seen === state && condition(found, "Programmed").observedGeneration === found.metadata.generation;
  });
  return found;
}

const proxy = (name: string) => ["networking", "httpproxies", name] as const;
const programmed = "True Programmed";
const backendsOf = (name: string) =>
  gateway.find(name)?.rules.map(({ action }) => {
    if (action.type === "respond") return action.status;
    return action.type === "forward" ? action.backend.host : action.type;
  });

describe("a proxy", () => {
  test("is programmed once the gateway has loaded it, and again after each change", async () => {
    const plane = await create("flow-i");
    gateway.isHeld = true;
    const seen: string[] = [];
    const watch = await plane.watch("networking", "httpproxies", ({ object }: WatchEventLine) => {
      const generation = condition(object, "Programmed")?.observedGeneration ?? 0;
      const text = `${generation} ${stateOf(object, "Accepted")} ${stateOf(object)}`;
      if (seen.at(-1) !== text) seen.push(text);
    });
    const created = await plane.create("networking", "httpproxies", proxyOf("x", "https://example.com"));
    expect(created.spec.rules[0].matches).toEqual([{ path: { type: "PathPrefix", value: "/" } }]);
    await until("the program is stored", async () => (await gateway.store.version()) > 0);
    await becomes(plane, proxy("x"), "False Pending");
    gateway.isHeld = false;
    const done = await becomes(plane, proxy("x"), programmed);
    const own = await plane.get("gateway", "gateways", "x");
    const hostname = `${own.metadata.uid}.${domain}`;
    expect(done.status).toMatchObject({
      ...{ hostname, hostnames: [hostname], addresses: [{ type: "Hostname", value: hostname }] },
      conditions: [
        { type: "Accepted", message: "The HTTPProxy has been scheduled" },
        { type: "Programmed", message: "The HTTPProxy has been programmed" },
      ],
    });
    expect(own.status).toMatchObject({
      addresses: [{ type: "Hostname", value: hostname }],
      listeners: ["http", "https"].map((name) => ({
        ...{ name, attachedRoutes: 1 },
        supportedKinds: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }],
        conditions: [
          { type: "Accepted", status: "True", reason: "Accepted" },
          { type: "Programmed", status: "True", reason: "Programmed" },
          { type: "ResolvedRefs", status: "True", reason: "ResolvedRefs" },
          { type: "Conflicted", status: "False", reason: "NoConflicts" },
        ],
      })),
    });
    const route = await plane.get("gateway", "httproutes", "x");
    expect(route.status.parents).toMatchObject([
      {
        parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "x" },
        controllerName: "gateway.networking.platformapis/external-global-proxy-controller",
        conditions: [
          { type: "Accepted", status: "True", reason: "Accepted", message: "Route is accepted" },
          { type: "ResolvedRefs", status: "True", reason: "ResolvedRefs" },
        ],
      },
    ]);
    expect(gateway.programs.get(own.metadata.uid)).toMatchObject({
      ...{ gateway: own.metadata.uid, namespace: "default", name: "x", listeners: ["http", "https"] },
      rules: [
        {
          rewriteHostname: "example.com",
          action: { type: "forward", backend: { scheme: "https", host: "example.com", port: 443 } },
        },
      ],
    });
    // The route stays as it is: only the slice changes.
    gateway.isHeld = true;
    await plane.patch("networking", "httpproxies", "x", proxyOf("x", "https://192.0.2.1"));
    await becomes(plane, proxy("x"), "False Pending");
    gateway.isHeld = false;
    await becomes(plane, proxy("x"), programmed);
    expect(backendsOf("x")).toEqual(["192.0.2.1"]);
    gateway.isHeld = true;
    await plane.patch("networking", "httpproxies", "x", proxyOf("x", "https://192.0.2.2"));
    await becomes(plane, proxy("x"), "False Pending");
    gateway.isHeld = false;
    await becomes(plane, proxy("x"), programmed);
    expect(backendsOf("x")).toEqual(["192.0.2.2"]);
    // The watch's event may come later than the response that has the same state.
    await until("the watch has seen the last state", () => seen.at(-1) === "3 True Accepted True Programmed");
    watch.stop();
    expect(seen).toEqual([
      "0 Unknown Pending Unknown Pending",
      "1 False Pending False Pending",
      "1 True Accepted False Pending",
      "1 True Accepted True Programmed",
      "2 True Accepted False Pending",
      "2 True Accepted True Programmed",
      "3 True Accepted False Pending",
      "3 True Accepted True Programmed",
    ]);
    await plane.delete("networking", "httpproxies", "x");
    await until("its children are gone", async () => {
      const left = [
        ...(await plane.list("gateway", "gateways")),
        ...(await plane.list("gateway", "httproutes")),
        ...(await plane.list("discovery", "endpointslices")),
      ];
      return left.length === 0 && gateway.find("x") === undefined;
    });
  });

  test("rules come and go, with their slices", async () => {
    const plane = await create("rules");
    await plane.create(
      "networking",
      "httpproxies",
      proxyOf("r", "http://192.0.2.1", "http://192.0.2.2", "http://192.0.2.3"),
    );
    await becomes(plane, proxy("r"), programmed);
    expect(backendsOf("r")).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    await plane.patch("networking", "httpproxies", "r", proxyOf("r", "http://192.0.2.9"));
    await becomes(plane, proxy("r"), programmed);
    expect(backendsOf("r")).toEqual(["192.0.2.9"]);
    await until("only one slice is left", async () => {
      const slices = await plane.list("discovery", "endpointslices");
      return slices.map(({ metadata }) => metadata.name).join() === "r-0-0";
    });
  });

  test("children are put back when they are edited or deleted", async () => {
    const plane = await create("drift");
    await plane.create("networking", "httpproxies", proxyOf("x", "https://example.com"));
    await becomes(plane, proxy("x"), programmed);
    const children = [
      ["gateway", "gateways", "x", { spec: { listeners: gatewayOf("x").spec.listeners } }],
      ["gateway", "httproutes", "x", { spec: { rules: [{ name: "other" }] } }],
      ["discovery", "endpointslices", "x-0-0", { endpoints: [{ addresses: ["other.example"] }] }],
    ] as const;
    const contentOf = ({ metadata: _, status: __, ...content }: Body) => content;
    for (const [group, resource, name, edit] of children) {
      const before = await plane.get(group, resource, name);
      const fromMs = performance.now();
      await plane.patch(group, resource, name, edit);
      await until(`the edited ${resource} is put back`, async () => {
        const found = await plane.get(group, resource, name);
        return JSON.stringify(contentOf(found)) === JSON.stringify(contentOf(before));
      });
      await becomes(plane, proxy("x"), programmed);
      await plane.delete(group, resource, name);
      await until(`the deleted ${resource} is back`, async () => {
        const found = await plane.get(group, resource, name);
        return found !== undefined && found.metadata.uid !== before.metadata.uid;
      });
      expect(performance.now() - fromMs).toBeLessThan(10_000);
      await becomes(plane, proxy("x"), programmed);
    }
    const { metadata } = await plane.get("gateway", "gateways", "x");
    expect((await plane.get(...proxy("x"))).status.hostname).toBe(`${metadata.uid}.${domain}`);
    // The condition may still be the one of before the deletion: the gateway's own program counts.
    await until("the gateway serves the target again", () => {
      const action = gateway.programs.get(metadata.uid)?.rules[0]?.action;
      return action?.type === "forward" && action.backend.host === "example.com";
    });
  });

  test.each([
    ["Gateway", "gateway", "gateways", "x", gatewayOf("x")],
    ["HTTPRoute", "gateway", "httproutes", "x", routeOf("x", [{ name: "x" }])],
    ["EndpointSlice", "discovery", "endpointslices", "x-0-0", sliceOf("x-0-0", "192.0.2.1")],
  ] as const)(
    "in conflict with a %s of another, until it goes",
    async (kind, group, resource, name, other) => {
      const plane = await create(`conflict-${kind.toLowerCase()}`);
      await plane.create(group, resource, other);
      await plane.create("networking", "httpproxies", proxyOf("x", "https://example.com"));
      const found = await becomes(plane, proxy("x"), "False Conflict");
      expect(condition(found, "Programmed").message).toBe(
        `Underlying ${kind} with the name "${name}" already exists and is owned by a different resource.`,
      );
      expect(found.status).not.toHaveProperty("hostname");
      await plane.delete(group, resource, name);
      await becomes(plane, proxy("x"), programmed);
    },
  );

  test("deleted and created again at once: its old children give way", async () => {
    const plane = await create("again");
    await plane.create("networking", "httpproxies", proxyOf("back", "http://192.0.2.1"));
    const before = await becomes(plane, proxy("back"), programmed);
    await plane.delete("networking", "httpproxies", "back");
    await plane.create("networking", "httpproxies", proxyOf("back", "http://192.0.2.2"));
    const after = await becomes(plane, proxy("back"), programmed);
    expect(after.status.hostname).not.toBe(before.status.hostname);
    expect(gateway.programs.has(before.status.hostname.replace(`.${domain}`, ""))).toBe(false);
    await until("it forwards to the new backend", () => backendsOf("back")?.join() === "192.0.2.2");
  });

  test("a project's own ranges are those that the platform gave it, once they are programmed", async () => {
    const plane = await create("subnets");
    const location = { name: "dfw", namespace: "default" };
    const declare = (kind: string, name: string, spec: Body) =>
      plane.create("networking", `${kind.toLowerCase()}s`, {
        ...{ apiVersion: "networking.platformapis/v1alpha", kind, metadata: { name }, spec },
      });
    const provider = plane.as(await platform.exchange(platform.providerToken));
    const program = (name: string) =>
      provider.patch("networking", "subnets", `${name}/status`, { status: { conditions: [isProgrammed] } });
    await plane.create("networking", "httpproxies", proxyOf("o", "http://10.128.0.5"));
    await becomes(plane, proxy("o"), programmed);
    expect(gateway.find("o")?.ownRanges).toEqual([]);

    // A member may write any subnet: what the platform did not give is not the project's.
    const family = { subnetClass: "private", ipFamily: "IPv4" };
    const forged = { ...family, startAddress: "10.200.0.0", prefixLength: 20 };
    await declare("Subnet", "forged", { ...forged, networkContext: { name: "c" }, location });
    await program("forged");

    await declare("Network", "n", { ipam: { mode: "Auto" } });
    await declare("NetworkContext", "c", { network: { name: "n" }, location });
    await declare("SubnetClaim", "s", { ...family, networkContext: { name: "c" }, location });
    await until(
      "the subnet is there",
      async () => (await plane.get("networking", "subnets", "s")) !== undefined,
    );
    await program("s");
    await until("the range is known", () => gateway.find("o")?.ownRanges.join() === "10.128.0.0/20");
    await plane.delete("networking", "subnetclaims", "s");
    await until("the range is gone", () => gateway.find("o")?.ownRanges.length === 0);
    await becomes(plane, proxy("o"), programmed);
  });

  test("edits without end wait for their turn, and no other project does", async () => {
    const [noisy, calm] = [await create("flow-noisy"), await create("flow-calm")];
    await noisy.create("networking", "httpproxies", proxyOf("loud", "http://192.0.2.1"));
    await becomes(noisy, proxy("loud"), programmed);
    const waits = async () =>
      condition(await noisy.get("gateway", "gateways", "loud"), "Programmed").message.includes("too often");
    let last = 0;
    await until("it has to wait", async () => {
      last++;
      const rules = [{ backends: [{ endpoint: `http://192.0.2.${(last % 200) + 1}` }] }];
      await noisy.patch("networking", "httpproxies", "loud", { spec: { rules } });
      return await waits();
    });
    await until("the proxy says so too", async () => {
      const { message } = condition(await noisy.get("networking", "httpproxies", "loud"), "Programmed");
      return message.includes("too often");
    });
    await calm.create("networking", "httpproxies", proxyOf("quiet", "http://192.0.2.1"));
    await becomes(calm, proxy("quiet"), programmed);
    await becomes(noisy, proxy("loud"), programmed);
    expect(backendsOf("loud")).toEqual([`192.0.2.${(last % 200) + 1}`]);
  });

  test("backends that the gateway does not forward to are named", async () => {
    const plane = await create("blocked");
    const why = "192.168.7.7 is not a public address (private)";
    gateway.judge = ({ name }) => (name === "b" ? { blocked: { "192.168.7.7": why } } : undefined);
    await plane.create("networking", "httpproxies", proxyOf("b", "http://192.168.7.7"));
    const found = await becomes(plane, proxy("b"), programmed);
    const text = `requests are not forwarded to 192.168.7.7 (${why})`;
    expect(condition(found, "Programmed").message).toBe(`The HTTPProxy has been programmed; ${text}`);
    const warnings = async () => {
      const events = await platform.fetch(`${plane.base}/api/v1/namespaces/default/events`, { bearer });
      const found: Body[] = events.json.items.filter(({ reason }: Body) => reason === "BackendBlocked");
      return found.map(({ type, message, involvedObject: { kind } }) => `${type} ${kind} ${message}`).sort();
    };
    await until("the warnings are there", async () => (await warnings()).length === 2);
    expect(await warnings()).toEqual([`Warning Gateway ${text}`, `Warning HTTPProxy ${text}`]);
  });

  test("a program that the gateway refuses says why, until it is another", async () => {
    const plane = await create("refused");
    gateway.judge = (program) =>
      JSON.stringify(program.rules).includes("192.0.2.66")
        ? { refused: "rule 1: cannot be loaded" }
        : undefined;
    await plane.create("networking", "httpproxies", proxyOf("f", "http://192.0.2.66"));
    const found = await becomes(plane, proxy("f"), "False Invalid");
    expect(condition(found, "Programmed").message).toBe("rule 1: cannot be loaded");
    await plane.patch("networking", "httpproxies", "f", proxyOf("f", "http://192.0.2.67"));
    await becomes(plane, proxy("f"), programmed);
  });

  test("the address of a name is written into its slice, not at every change", async () => {
    const plane = await create("resolved");
    let address = "192.0.2.10";
    gateway.judge = () => ({ resolved: { "a.example.com": address } });
    await plane.create("networking", "httpproxies", proxyOf("n", "http://a.example.com"));
    await becomes(plane, proxy("n"), programmed);
    const annotation = async () =>
      (await plane.get("discovery", "endpointslices", "n-0-0")).metadata.annotations?.[
        "networking.platformapis/resolved-addresses"
      ];
    await until("it is written", async () => (await annotation()) === address);
    address = "192.0.2.11";
    await plane.patch("networking", "httpproxies", "n", proxyOf("n", "http://a.example.com:81"));
    await becomes(plane, proxy("n"), programmed);
    expect(await annotation()).toBe("192.0.2.10");
    gateway.judge = () => undefined;
  });
});

describe("a gateway of a user", () => {
  const parents = async (plane: ComputePlane, name: string) => {
    const { status } = await plane.get("gateway", "httproutes", name);
    return status.parents.map(({ parentRef, conditions }: Body) => [
      parentRef.sectionName ?? parentRef.port ?? "",
      ...conditions.map(({ type, status: is, reason }: Body) => `${type} ${is} ${reason}`),
    ]);
  };

  test("listeners that cannot be served are reported, and the others are served", async () => {
    const plane = await create("listeners");
    const odd = gatewayOf("odd");
    odd.spec.listeners = [
      { name: "web", protocol: "HTTP", port: 80 },
      { name: "raw", protocol: "TCP", port: 5432 },
      { name: "high", protocol: "HTTP", port: 8080 },
    ];
    await plane.create("gateway", "gateways", odd);
    await becomes(plane, ["gateway", "gateways", "odd"], programmed);
    const refs = ["web", "raw", "high"].map((sectionName) => ({ name: "odd", sectionName }));
    const [backend] = toSlice("s").backendRefs;
    const rule = { backendRefs: [{ ...backend, namespace: "shop" }] };
    await plane.create("gateway", "httproutes", routeOf("r", refs, rule));
    await until("the route has its parents", async () => (await parents(plane, "r")).length === 3);
    const refused = "ResolvedRefs False RefNotPermitted";
    expect(await parents(plane, "r")).toEqual([
      ["web", "Accepted True Accepted", refused],
      ["raw", "Accepted False NotAllowedByListeners", refused],
      ["high", "Accepted False NotAllowedByListeners", refused],
    ]);
    await until("it responds 500", () => backendsOf("odd")?.join() === "500");
    // Its new program is loaded first.
    const { status } = await becomes(plane, ["gateway", "gateways", "odd"], programmed);
    const shown = status.listeners.map(({ name, attachedRoutes, conditions }: Body) => [
      ...[name, attachedRoutes],
      ...conditions.map(({ type, status: is, reason }: Body) => `${type} ${is} ${reason}`),
    ]);
    const others = ["ResolvedRefs True ResolvedRefs", "Conflicted False NoConflicts"];
    expect(shown).toEqual([
      ["web", 1, "Accepted True Accepted", "Programmed True Programmed", ...others],
      ["raw", 0, "Accepted False UnsupportedProtocol", "Programmed False Invalid", ...others],
      ["high", 0, "Accepted False PortUnavailable", "Programmed False Invalid", ...others],
    ]);
    const [accepted] = status.conditions;
    expect([accepted.status, accepted.reason]).toEqual(["True", "ListenersNotValid"]);

    const listeners = [{ name: "raw", protocol: "UDP", port: 53 }];
    await plane.patch("gateway", "gateways", "odd", { spec: { listeners } });
    await until("nothing of it is served", async () => {
      const { conditions } = (await plane.get("gateway", "gateways", "odd")).status;
      return conditions.every((each: Body) => each.status === "False" && each.observedGeneration === 2);
    });
    await until("its program has no listener", () => gateway.find("odd")?.listeners.length === 0);
  });

  test("a slice of another namespace needs a ReferenceGrant there, as long as it is used", async () => {
    const plane = await create("grants");
    const shop = await plane.within("shop");
    await shop.create("discovery", "endpointslices", sliceOf("s", "192.0.2.1"));
    await plane.create("gateway", "gateways", gatewayOf("granted"));
    const [backend] = toSlice("s").backendRefs;
    const rule = { backendRefs: [{ ...backend, namespace: "shop" }] };
    await plane.create("gateway", "httproutes", routeOf("r", [{ name: "granted" }], rule));
    const resolves = (state: string) =>
      until(`the route's references are ${state}`, async () => {
        return (await parents(plane, "r"))[0]?.[2] === `ResolvedRefs ${state}`;
      });
    await resolves("False RefNotPermitted");
    const grant = {
      ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "ReferenceGrant", metadata: { name: "g" } },
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "default" }],
        to: [{ group: "discovery.k8s.io", kind: "EndpointSlice", name: "other" }],
      },
    };
    await shop.create("gateway", "referencegrants", grant);
    await until("it responds 500", () => backendsOf("granted")?.join() === "500");
    const to = [{ group: "discovery.k8s.io", kind: "EndpointSlice", name: "s" }];
    await shop.patch("gateway", "referencegrants", "g", { spec: { to } });
    await resolves("True ResolvedRefs");
    await until("it forwards", () => backendsOf("granted")?.join() === "192.0.2.1");
    const endpoints = [{ addresses: ["192.0.2.2"] }];
    await shop.patch("discovery", "endpointslices", "s", { endpoints });
    await until("it follows", () => backendsOf("granted")?.join() === "192.0.2.2");
    await shop.delete("gateway", "referencegrants", "g");
    await resolves("False RefNotPermitted");
    await until("it responds 500 again", () => backendsOf("granted")?.join() === "500");
  });

  test("routes of other namespaces, as long as these have the labels that the listener asks for", async () => {
    const plane = await create("selects");
    const shop = await plane.within("shop");
    await shop.create("discovery", "endpointslices", sliceOf("s", "192.0.2.1"));
    const selector = { matchLabels: { team: "shop" } };
    const allowedRoutes = { namespaces: { from: "Selector", selector } };
    const selects = gatewayOf("selects");
    const listeners = [{ ...selects.spec.listeners[0], allowedRoutes }];
    await plane.create("gateway", "gateways", { ...selects, spec: { ...selects.spec, listeners } });
    const route = routeOf("r", [{ name: "selects", namespace: "default" }], toSlice("s"));
    await shop.create("gateway", "httproutes", route);
    const isAccepted = (state: string) =>
      until(`the route is ${state}`, async () => (await parents(shop, "r"))[0]?.[1] === `Accepted ${state}`);
    await isAccepted("False NotAllowedByListeners");
    await shop.label({ team: "shop" });
    await isAccepted("True Accepted");
    await until("it forwards", () => backendsOf("selects")?.join() === "192.0.2.1");
    await shop.label({ team: null });
    await isAccepted("False NotAllowedByListeners");
    await until("it forwards no more", () => backendsOf("selects")?.length === 0);
    await plane.patch("gateway", "gateways", "selects", {
      spec: { listeners: [{ ...listeners[0], allowedRoutes: { namespaces: { from: "All" } } }] },
    });
    await isAccepted("True Accepted");
    await until("it forwards again", () => backendsOf("selects")?.join() === "192.0.2.1");
  });

  test("routes come, go and change; their backends too", async () => {
    const plane = await create("routes");
    await plane.create("gateway", "gateways", gatewayOf("g"));
    await becomes(plane, ["gateway", "gateways", "g"], programmed);
    const refs = [{ name: "g", sectionName: "web" }, { name: "g", sectionName: "none" }, { name: "other" }];
    await plane.create("gateway", "httproutes", routeOf("r", refs, toSlice("s")));
    await until("its backend is missing", async () => (await parents(plane, "r")).length === 2);
    expect(await parents(plane, "r")).toEqual([
      ["web", "Accepted True Accepted", "ResolvedRefs False BackendNotFound"],
      ["none", "Accepted False NoMatchingParent", "ResolvedRefs False BackendNotFound"],
    ]);
    await until("it responds 500", () => backendsOf("g")?.join() === "500");
    await plane.create("discovery", "endpointslices", sliceOf("s", "192.0.2.1", false));
    await until("it responds 503", () => backendsOf("g")?.join() === "503");
    await plane.patch("discovery", "endpointslices", "s", sliceOf("s", "192.0.2.1"));
    await until("it forwards", () => backendsOf("g")?.join() === "192.0.2.1");
    await until("its backend is found", async () => {
      return String((await parents(plane, "r"))[0]).includes("ResolvedRefs True ResolvedRefs");
    });
    const counts = async () =>
      (await plane.get("gateway", "gateways", "g")).status.listeners.map(
        ({ attachedRoutes }: Body) => attachedRoutes,
      );
    await until("one route is attached", async () => String(await counts()) === "1");
    await plane.patch("gateway", "httproutes", "r", { spec: { parentRefs: [refs[2]] } });
    await until("the route has left", () => backendsOf("g")?.length === 0);
    await until("its parents have left too", async () => (await parents(plane, "r")).length === 0);
    await until("no route is attached", async () => String(await counts()) === "0");
    await plane.patch("gateway", "httproutes", "r", { spec: { parentRefs: [refs[0]] } });
    await until("the route is back", () => backendsOf("g")?.join() === "192.0.2.1");
    await plane.delete("gateway", "httproutes", "r");
    await until("the route is gone", () => backendsOf("g")?.length === 0);
  });

  test("is gone only once no gateway has it, and says nothing of routes then", async () => {
    const plane = await create("finalizer");
    await plane.create("gateway", "gateways", gatewayOf("g"));
    await plane.create("gateway", "httproutes", routeOf("r", [{ name: "g" }]));
    const { metadata } = await becomes(plane, ["gateway", "gateways", "g"], programmed);
    await until("the route is accepted", async () => (await parents(plane, "r")).length === 1);
    gateway.isHeld = true;
    await plane.delete("gateway", "gateways", "g");
    await until("the program is removed", async () => {
      const programs: string[] = [];
      for await (const part of gateway.store.all()) programs.push(...part.map((each) => each.gateway));
      return !programs.includes(metadata.uid);
    });
    expect(await plane.get("gateway", "gateways", "g")).toMatchObject({ metadata: { uid: metadata.uid } });
    gateway.isHeld = false;
    await plane.gone("gateway", "gateways", "g");
    expect(await parents(plane, "r")).toEqual([]);
  });

  test("a project is gone with its gateways", async () => {
    const plane = await create("going");
    await plane.create("networking", "httpproxies", proxyOf("last", "http://192.0.2.1"));
    await becomes(plane, proxy("last"), programmed);
    const path = "/apis/resourcemanager.platformapis/v1alpha/organizations/acme/control-plane";
    const project = `${path}/apis/resourcemanager.platformapis/v1alpha/projects/going`;
    await platform.fetch(project, { method: "DELETE", bearer });
    await until("the project is gone", async () => (await platform.fetch(project, { bearer })).code === 404);
    expect(gateway.find("last")).toBeUndefined();
  });
});

describe("without a running gateway", () => {
  test("a proxy says so, and is programmed once one runs and wakes the controllers", async () => {
    const options = { gateway: { domain } };
    const alone = await startTestPlatform(options);
    const runner = new TestGateway(alone);
    try {
      const token = await alone.exchange(alone.token);
      const plane = await ComputePlane.create(alone, token, "alone");
      await plane.create("networking", "httpproxies", proxyOf("x", "http://192.0.2.1"));
      const message = "no gateway is running";
      await until("the proxy says so", async () => {
        const found = condition(await plane.get(...proxy("x")), "Programmed");
        return found.status === "False" && found.reason === "Pending" && found.message === message;
      });
      await runner.cycle();
      await alone.wakeGateways([...runner.programs.values()]);
      await becomes(plane, proxy("x"), programmed);
      await runner.store.leave("test");
      await plane.delete("networking", "httpproxies", "x");
      await plane.gone("gateway", "gateways", "x");
    } finally {
      await runner.stop();
      await alone.stop();
    }
  });

  test("a platform without the section has no hostnames", async () => {
    const alone = await startTestPlatform();
    try {
      const token = await alone.exchange(alone.token);
      const plane = await ComputePlane.create(alone, token, "off");
      await plane.create("networking", "httpproxies", proxyOf("x", "http://192.0.2.1"));
      await until("the proxy says so", async () => {
        const found = await plane.get(...proxy("x"));
        expect(found.status).not.toHaveProperty("hostname");
        return condition(found, "Programmed").message === "no gateway is running";
      });
      await plane.delete("networking", "httpproxies", "x");
      await plane.gone("gateway", "gateways", "x");
    } finally {
      await alone.stop();
    }
  });
});
