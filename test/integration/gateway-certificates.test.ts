import "../support/leak-check.ts";
import { generateKeyPairSync } from "node:crypto";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { domain, type RunningGateway, startGateway } from "../support/gateway/running-gateway.ts";
import { createAuthority } from "../support/net/certificates.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { type Body, ComputePlane, condition } from "../support/provider/compute-plane.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** `certificateRefs` of listeners, from the Secret to the handshake. */

const authority = createAuthority();
let platform: TestPlatform;
let gateway: RunningGateway;
let plane: ComputePlane;

setUpAll(async ({ keep }) => {
  platform = await keep(
    startTestPlatform({
      gateway: { domain, zones: [{ domain: "zone.example", project: "zoned" }] },
      isAllowed: (address) => address.startsWith("127."),
    }),
  );
  gateway = await keep(startGateway({ platform }));
  plane = await ComputePlane.create(platform, await platform.exchange(platform.token), "zoned");
});

const dataOf = (name: string, key?: string): Record<string, string> => {
  const issued = authority.issue([name]);
  const data = { "tls.crt": issued.cert, "tls.key": key ?? issued.key };
  return Object.fromEntries(
    Object.entries(data).map(([each, text]) => [each, Buffer.from(text).toString("base64")]),
  );
};
const secretOf = (name: string, data: Record<string, string>): Body => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name }, type: "kubernetes.io/tls", data },
});
const gatewayOf = (name: string, hostname: string, ref: Body): Body => ({
  ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", metadata: { name } },
  spec: {
    gatewayClassName: "external-global-proxy",
    listeners: [
      { name: "tls", port: 443, protocol: "HTTPS", hostname, tls: { certificateRefs: [ref] } },
      { name: "plain", port: 80, protocol: "HTTP", hostname },
    ],
  },
});

/** Conditions of the listener for HTTPS. */
async function listenerOf(name: string): Promise<string> {
  const { listeners = [] } = (await plane.get("gateway", "gateways", name)).status;
  const shown = ["Accepted", "ResolvedRefs", "Programmed"].map((type) => {
    const found = listeners[0]?.conditions.find((each: Body) => each.type === type);
    return `${type} ${found?.status} ${found?.reason}: ${found?.message}`;
  });
  return shown.join("\n");
}
const becomes = (name: string, state: RegExp) =>
  until(`the listener of ${name} is ${state}`, async () => state.test(await listenerOf(name)));

function presented(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { port: gateway.tlsPort, host: "127.0.0.1", servername, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve((socket.getPeerCertificate().subjectaltname ?? "").replaceAll("DNS:", ""));
      socket.destroy();
    }).on("error", reject);
  });
}

test("a Secret's certificate is served once it is there, and a new one at once", async () => {
  await plane.create("gateway", "gateways", gatewayOf("g", "www.zone.example", { name: "web" }));
  await becomes(
    "g",
    /ResolvedRefs False InvalidCertificateRef: Secret "web" not found\nProgrammed False Invalid/,
  );
  expect(await listenerOf("g")).toMatch(/^Accepted True/);
  expect(await presented("www.zone.example")).toMatch(domain);

  await plane.create("core", "secrets", secretOf("web", dataOf("www.zone.example")));
  await becomes("g", /ResolvedRefs True ResolvedRefs: .*references\nProgrammed True/);
  expect(await presented("www.zone.example")).toBe("www.zone.example");

  const change = (data: Record<string, string>) => plane.patch("core", "secrets", "web", { data });
  await change(dataOf("next.zone.example"));
  await becomes("g", /ResolvedRefs True .*Secret "web": it is not for www\.zone\.example\n/);
  await until("it is presented", async () => (await presented("www.zone.example")) === "next.zone.example");

  const strange = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  await change(dataOf("www.zone.example", strange.export({ type: "pkcs8", format: "pem" }).toString()));
  await becomes("g", /ResolvedRefs False InvalidCertificateRef: Secret "web" has a key that is not/);
  await until("it is gone", async () => (await presented("www.zone.example")).includes(domain));
  await change(dataOf("www.zone.example"));
  await becomes("g", /ResolvedRefs True/);
  await until("it is back", async () => (await presented("www.zone.example")) === "www.zone.example");

  // In use: it stays until the Gateway is gone.
  await plane.delete("core", "secrets", "web");
  expect(await presented("www.zone.example")).toBe("www.zone.example");
  expect((await plane.get("core", "secrets", "web")).metadata.deletionTimestamp).toBeDefined();
  await plane.delete("gateway", "gateways", "g");
  await plane.gone("core", "secrets", "web");
  await until("its name is free", async () => (await presented("www.zone.example")).includes(domain));
});

test.each([
  ["another namespace", { name: "s", namespace: "other" }, /RefNotPermitted: no ReferenceGrant of .* other/],
  ["another kind", { name: "s", kind: "ConfigMap" }, /InvalidCertificateRef: .* kind ConfigMap are not supp/],
  [
    "another group",
    { name: "s", group: "x.example" },
    /InvalidCertificateRef: .* Secret\.x\.example are not/,
  ],
])("a reference to %s is refused by condition", async (what, ref, state) => {
  const name = what.replace(" ", "-");
  await plane.create("gateway", "gateways", gatewayOf(name, `${name}.zone.example`, ref));
  await becomes(name, state);
  await plane.delete("gateway", "gateways", name);
});

test("a Secret of another namespace is served while a ReferenceGrant there permits it", async () => {
  const shop = await plane.within("shop");
  await shop.create("core", "secrets", secretOf("shop", dataOf("shop.zone.example")));
  const ref = { name: "shop", namespace: "shop" };
  await plane.create("gateway", "gateways", gatewayOf("shop", "shop.zone.example", ref));
  await becomes("shop", /RefNotPermitted: no ReferenceGrant of the namespace shop permits the Secret "shop"/);
  await shop.create("gateway", "referencegrants", {
    ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "ReferenceGrant", metadata: { name: "shop" } },
    spec: {
      from: [{ group: "gateway.networking.k8s.io", kind: "Gateway", namespace: "default" }],
      to: [{ group: "", kind: "Secret" }],
    },
  });
  await becomes("shop", /ResolvedRefs True/);
  await until("it is presented", async () => (await presented("shop.zone.example")) === "shop.zone.example");
  await shop.delete("gateway", "referencegrants", "shop");
  await becomes("shop", /RefNotPermitted/);
  await until("it is gone", async () => (await presented("shop.zone.example")).includes(domain));
  // It is not in use: the other namespace decides.
  await shop.delete("core", "secrets", "shop");
  await shop.gone("core", "secrets", "shop");
  await plane.delete("gateway", "gateways", "shop");
});

test("another project's hostname keeps its certificate, whoever has one for it", async () => {
  const bearer = await platform.exchange(platform.token);
  const other = await ComputePlane.create(platform, bearer, "hostile");
  await plane.create("core", "secrets", secretOf("own", dataOf("own.zone.example")));
  await plane.create("gateway", "gateways", gatewayOf("own", "own.zone.example", { name: "own" }));
  await until("it is presented", async () => (await presented("own.zone.example")) === "own.zone.example");
  await other.create("core", "secrets", secretOf("fake", dataOf("own.zone.example,fake")));
  await other.create("gateway", "gateways", gatewayOf("own", "own.zone.example", { name: "fake" }));
  await until("it is refused", async () => {
    const found = await other.get("gateway", "gateways", "own");
    return condition(found, "Accepted")?.reason === "ListenersNotValid";
  });
  expect(await presented("own.zone.example")).toBe("own.zone.example");
  // What a key is for is shown nowhere, and its program is refused to nobody else.
  expect(JSON.stringify(await other.get("gateway", "gateways", "own"))).not.toMatch(/PRIVATE/);
});
