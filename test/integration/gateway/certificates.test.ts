import "../../support/leak-check.ts";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import type { HostCertificate, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { createAuthority } from "../../support/net/certificates.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** Certificates of projects, in handshakes with a real HAProxy. */

const authority = createAuthority();
let gateway: RunningGateway;
let backend: GatewayBackend;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
});

/** A certificate that says its name, which is all that clients see of it. */
function certificate(name: string, hostnames: readonly string[]): HostCertificate {
  const { cert, key } = authority.issue([name]);
  return { hostnames, pem: `${cert.trim()}\n${key.trim()}\n` };
}

const programFor = (
  certificates: HostCertificate[],
  hostnames: string[],
  rule: Omit<RuleParts, "backend"> = {},
): RouteProgram => ({
  ...programOf([{ ...rule, backend: { scheme: "http", host: "127.0.0.1", port: backend.port } }]),
  hostnames,
  ...(certificates.length === 0 ? {} : { certificates }),
});

const dial = (servername: string): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const options = { port: gateway.tlsPort, host: "127.0.0.1", servername, rejectUnauthorized: false };
    const socket = connect(options, () => resolve(socket)).on("error", reject);
  });

/** The names of the certificate that clients get for a hostname. */
async function presented(servername: string): Promise<string> {
  const socket = await dial(servername);
  const { subjectaltname = "" } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname.replaceAll("DNS:", "");
}

test("a certificate is presented for its hostnames only, and replaced without a load", async () => {
  const names = ["www.cert.example", "*.cert.example"];
  const program = programFor([certificate("first.example", names)], names);
  await gateway.load(program);
  await until("it is presented", async () => (await presented("www.cert.example")) === "first.example");
  expect(await presented("other.cert.example")).toBe("first.example");
  // Also where the certificate is for it.
  expect(await presented("first.example")).toMatch(/proxy\.localhost/);
  expect(await presented(hostOf(program.gateway))).toMatch(/proxy\.localhost/);

  const loads = await gateway.loads();
  const open = await dial("www.cert.example");
  const ask = (): Promise<string> =>
    new Promise((resolve) => {
      open.once("data", (data) => resolve(String(data).slice(0, 15)));
      open.write("GET / HTTP/1.1\r\nHost: www.cert.example\r\n\r\n");
    });
  expect(await ask()).toBe("HTTP/1.1 200 OK");
  await gateway.load({ ...program, certificates: [certificate("second.example", names)] });
  expect(await presented("www.cert.example")).toBe("second.example");
  expect(await ask()).toBe("HTTP/1.1 200 OK");
  open.destroy();
  await gateway.load({ ...program, certificates: [] });
  expect(await presented("www.cert.example")).toMatch(/proxy\.localhost/);
  expect(await gateway.loads()).toBe(loads);
  await gateway.unload(program.gateway);
});

test("with filters, a load brings the program, and none its next certificate", async () => {
  const names = ["filters.example"];
  const rule = { requestHeaders: [{ set: [{ name: "x-a", value: "b" }], add: [], remove: [] }] };
  const program = programFor([certificate("first.example", names)], names, rule);
  await gateway.load(program);
  expect(await presented("filters.example")).toBe("first.example");
  const loads = await gateway.loads();
  await gateway.load({ ...program, certificates: [certificate("second.example", names)] });
  expect(await presented("filters.example")).toBe("second.example");
  expect(await gateway.loads()).toBe(loads);
  await gateway.unload(program.gateway);
});

test("a wildcard's certificate is not for another program's hostname", async () => {
  const wild = programFor([certificate("wild.example", ["*.shared.example"])], ["*.shared.example"]);
  const other = programFor([], ["a.shared.example"]);
  await gateway.load(wild, other);
  await until("the exception is loaded", async () => /proxy/.test(await presented("a.shared.example")));
  expect(await presented("b.shared.example")).toBe("wild.example");
  await gateway.unload(other.gateway);
  await until("it is the wildcard's", async () => (await presented("a.shared.example")) === "wild.example");
  await gateway.unload(wild.gateway);
});

test.each([
  ["is none", (pem: string) => pem.replace("CERTIFICATE", "NONSENSE")],
  [
    "has another key",
    (pem: string) => pem.split("-----BEGIN PRIVATE")[0] + certificate("x", []).pem.slice(-241),
  ],
  [
    "ends early",
    (pem: string) => pem.replace(/[A-Za-z0-9+/=]+\n-----END CERTIFICATE/, "-----END CERTIFICATE"),
  ],
  ["has a command", (pem: string) => `${pem}\n\nshutdown frontend gateway\n`],
  ["is for a hostname of others", (pem: string) => pem],
])("a certificate that %s is refused, and disturbs no neighbour", async (what, broken) => {
  const [name, near] = ["broken.example", "near.example"];
  const neighbour = programFor([certificate(near, [near])], [near]);
  await gateway.load(neighbour);
  const held = certificate("broken.example", what.startsWith("is for") ? [near] : [name]);
  const program = programFor([{ ...held, pem: broken(held.pem) }], [name]);
  await gateway.load(program);
  const { reports } = await gateway.programs.state(program.gateway, 0);
  expect(reports.map(({ refused }) => refused)).toEqual([expect.any(String)]);
  expect(JSON.stringify(reports)).not.toMatch(/BEGIN|crt|pem/);
  expect(await presented(near)).toBe(near);
  expect(await presented(name)).toMatch(/proxy\.localhost/);
  expect(gateway.problem()).toBeUndefined();
  const next = programFor([certificate("next.example", ["next.example"])], ["next.example"]);
  await gateway.load(next);
  expect(await presented("next.example")).toBe("next.example");
  for (const each of [program, neighbour, next]) await gateway.unload(each.gateway);
});

test("files of keys are for nobody else, and go with their programs", async () => {
  const program = programFor([certificate("kept.example", ["kept.example"])], ["kept.example"]);
  await gateway.load(program);
  const { certificates, certificateList } = gateway.files;
  const files = await readdir(certificates);
  const own = files.filter((each) => each.startsWith(program.gateway));
  expect(own).toHaveLength(1);
  for (const file of [certificateList, ...own.map((each) => join(certificates, each))]) {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }
  expect((await stat(certificates)).mode & 0o777).toBe(0o700);
  await gateway.unload(program.gateway);
  await until("no key is left", async () => (await readdir(certificates)).length === 0);
});
