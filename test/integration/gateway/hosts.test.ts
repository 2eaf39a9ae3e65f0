import { type ClientHttp2Session, connect } from "node:http2";
import { describe, expect, test } from "vitest";
import type { Json, KubeObject } from "../../../src/kube-server/api/object.ts";
import type { Plane } from "../../../src/kube-server/api/plane.ts";
import { attachedRoutes, routesOfGateway } from "../../../src/platform/controllers/gateway/route-parents.ts";
import { routeProgram } from "../../../src/platform/controllers/gateway/route-programs.ts";
import { Granted } from "../../../src/platform/kinds/gateway/reference-grant.ts";
import type { BackendTarget, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import {
  type Echo,
  type GatewayBackend,
  startGatewayBackend,
} from "../../support/gateway/gateway-backend.ts";
import { type GatewayAnswer, send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { domain, hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";

let gateway: RunningGateway;
let backend: GatewayBackend;
let programs: Record<
  "first" | "second" | "deleted" | "narrow" | "empty" | "plain" | "secure" | "both",
  RouteProgram
>;
const unknown = hostOf("00000000-0000-4000-8000-ffffffffffff");

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
  const target: BackendTarget = { scheme: "http", host: "127.0.0.1", port: backend.port };
  const https = [{ name: "x-for", value: "https" }];
  programs = {
    first: programOf([{ backend: target }]),
    second: programOf([{ backend: target }]),
    deleted: programOf([{ backend: target }]),
    narrow: programOf([{ matches: [{ path: { type: "Exact", value: "/only" } }], backend: target }]),
    empty: programOf([{ respond: 500 }]),
    plain: programOf([{ backend: target }], { listeners: ["http"] }),
    secure: programOf([{ backend: target }], { listeners: ["https"] }),
    both: programOf([
      {
        matches: [{ listeners: ["https"] }],
        requestHeaders: [{ set: https, add: [], remove: [] }],
        backend: target,
      },
      { matches: [{ listeners: ["http"] }], backend: target },
    ]),
  };
  await gateway.load(...Object.values(programs));
});

const get = (host: string): string => `GET /path HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

async function statusOf(bytes: string, serverName?: string): Promise<number | undefined> {
  const port = serverName === undefined ? gateway.port : gateway.tlsPort;
  const options = serverName === undefined ? {} : { serverName };
  return statusesIn((await rawHttp(port, bytes, options)).text)[0];
}

interface Http2Answer {
  readonly status: number;
  readonly text: string;
}

/** Asks over one connection of HTTP/2, whose certificate is verified for the first host. */
async function withHttp2<T>(
  serverName: string,
  use: (session: ClientHttp2Session) => Promise<T>,
): Promise<T> {
  const session = connect(`https://127.0.0.1:${gateway.tlsPort}`, {
    servername: serverName,
    ca: gateway.authority.cert,
    rejectUnauthorized: true,
  });
  try {
    return await use(session);
  } finally {
    await new Promise<void>((resolve) => session.close(resolve));
  }
}

function ask(session: ClientHttp2Session, headers: Record<string, string>): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ":path": "/path", ...headers });
    let status = 0;
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (answer) => {
      status = answer[":status"] ?? 0;
    });
    stream.on("data", (piece: string) => {
      text += piece;
    });
    stream.on("end", () => resolve({ status, text }));
    stream.on("error", reject);
  });
}

describe("a host is found", () => {
  test.each([
    ["as it is", (host: string) => host],
    ["in capital letters", (host: string) => host.toUpperCase()],
    ["with a port", (host: string) => `${host}:8080`],
    ["with an empty port", (host: string) => `${host}:`],
    ["with the dot of the root", (host: string) => `${host}.`],
    ["with all of these", (host: string) => `${host.toUpperCase()}.:80`],
  ])("%s", async (_, written) => {
    const { echo } = await send(gateway.port, programs.first, {
      host: written(hostOf(programs.first.gateway)),
    });
    expect(valuesOf(echo, "host")).toEqual([written(hostOf(programs.first.gateway))]);
  });
});

describe("a host is not found", () => {
  const withoutDate = ({ status, headers: { date: _, ...headers }, text }: GatewayAnswer): object => ({
    ...{ status, headers, text },
  });

  test("a deleted host responds as one that never was", async () => {
    const answerTo = async (host: string): Promise<object> =>
      withoutDate(await send(gateway.port, programs.deleted, { host }));
    const never = await answerTo(unknown);
    expect(never).toMatchObject({ status: 404, text: "no such host\n" });
    expect((await send(gateway.port, programs.deleted)).status).toBe(200);
    await gateway.unload(programs.deleted.gateway);
    expect(await answerTo(hostOf(programs.deleted.gateway))).toEqual(never);
  });

  test.each([
    ["the domain itself", domain],
    ["a name below a gateway's", () => `www.${hostOf(programs.first.gateway)}`],
    ["a gateway's uid alone", () => programs.first.gateway],
    ["an address", "127.0.0.1"],
    ["an IPv6 address", "[::1]:80"],
    ["a section's name", () => `gateway-${programs.first.gateway}`],
  ])("%s", async (_, host) => {
    expect(await statusOf(get(typeof host === "string" ? host : host()))).toBe(404);
  });

  test("a listener that the gateway does not have responds as an unknown host", async () => {
    const { plain, secure } = programs;
    const answers = [
      await statusOf(get(hostOf(plain.gateway))),
      await statusOf(get(hostOf(plain.gateway)), hostOf(plain.gateway)),
      await statusOf(get(hostOf(secure.gateway))),
      await statusOf(get(hostOf(secure.gateway)), hostOf(secure.gateway)),
    ];
    expect(answers).toEqual([200, 404, 404, 200]);
    expect((await send(gateway.port, secure)).text).toBe("no such host\n");
  });
});

describe("a route of one listener", () => {
  test("is not tried for the other", async () => {
    const host = hostOf(programs.both.gateway);
    const { text: secure } = await rawHttp(gateway.tlsPort, get(host), { serverName: host });
    expect(secure).toContain('["x-for","https"]');
    expect((await send(gateway.port, programs.both)).text).not.toContain('["x-for","https"]');
  });

  /** One route of each listener, attached by a name or a port, as the controllers make a program of them. */
  function attached(refs: readonly Json[], more: readonly Json[] = []): RouteProgram {
    const names = [
      { name: "http", protocol: "HTTP", port: 80 },
      { name: "https", protocol: "HTTPS", port: 443 },
    ];
    const { gateway: uid, plane } = programOf([]);
    const namespace = "default";
    const object = {
      metadata: { name: "g", namespace, uid },
      spec: { listeners: names },
    } as unknown as KubeObject;
    const routes = refs.map((ref, index) => ({
      metadata: { name: `route-${index}`, namespace, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "g", ...(ref as object) }],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: index === 0 ? "/a" : "/b" } }],
            ...(more[index] as object | undefined),
          },
        ],
      },
    })) as unknown as KubeObject[];
    const found = attachedRoutes(routesOfGateway(object, routes));
    expect(found.length).toBe(refs.length);
    return routeProgram({
      plane: plane as Plane,
      gateway: object,
      routes: found,
      backends: { slices: new Map(), granted: new Granted([]) },
      ownRanges: [],
    });
  }

  /** Of paths over HTTP, then over HTTPS. */
  async function statuses(program: RouteProgram, paths: readonly string[]): Promise<(number | undefined)[]> {
    const host = hostOf(program.gateway);
    const found: (number | undefined)[] = [];
    for (const serverName of [undefined, host]) {
      for (const path of paths) found.push(await statusOf(get(host).replace("/path", path), serverName));
    }
    return found;
  }

  // A rule without a backend answers 500, another listener's 404.
  test.each([
    ["sectionName", { sectionName: "http" }, { sectionName: "https" }, [500, 404, 404, 500]],
    ["sectionName, the other way", { sectionName: "https" }, { sectionName: "http" }, [404, 500, 500, 404]],
    ["port", { port: 80 }, { port: 443 }, [500, 404, 404, 500]],
    ["port, the other way", { port: 443 }, { port: 80 }, [404, 500, 500, 404]],
    ["sectionName and port", { sectionName: "http" }, { port: 443 }, [500, 404, 404, 500]],
    ["port and sectionName", { port: 443 }, { sectionName: "http" }, [404, 500, 500, 404]],
    ["both and one", {}, { port: 80 }, [500, 500, 500, 404]],
  ])("is served on that one only: %s", async (_, first, second, expected) => {
    const program = attached([first, second]);
    await gateway.load(program);
    expect(await statuses(program, ["/a", "/b"])).toEqual(expected);
  });

  test("a redirect of HTTP to HTTPS beside a route of HTTPS", async () => {
    const matches = [{ path: { type: "PathPrefix", value: "/" } }];
    const filters = [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 301 } }];
    const narrow = [{ path: { type: "PathPrefix", value: "/b" } }];
    const program = attached(
      [{ sectionName: "http" }, { port: 443 }],
      [{ matches, filters }, { matches: narrow }],
    );
    await gateway.load(program);
    expect(await statuses(program, ["/b", "/c"])).toEqual([301, 301, 500, 404]);
  });
});

test("no rule matches: 404, and a path that does is forwarded", async () => {
  const { status, text } = await send(gateway.port, programs.narrow, { path: "/only/else" });
  expect([status, text]).toEqual([404, "no rule of the proxy matches this request\n"]);
  expect((await send(gateway.port, programs.narrow, { path: "/only" })).status).toBe(200);
});

test("a rule without a backend: 500", async () => {
  expect((await send(gateway.port, programs.empty)).status).toBe(500);
});

describe("TLS names a host too", () => {
  const name = (which: "first" | "second" | "unknown" | "none" | "other"): string => {
    if (which === "none") return "";
    if (which === "other") return "www.example";
    return which === "unknown" ? unknown : hostOf(programs[which].gateway);
  };

  test.each([
    ["first", "first", 200],
    ["first", "second", 421],
    ["first", "unknown", 421],
    ["unknown", "first", 200],
    ["other", "first", 200],
    ["none", "first", 200],
    ["none", "unknown", 404],
  ] as const)("SNI %s, Host %s: %i", async (serverName, host, status) => {
    expect(await statusOf(get(name(host)), name(serverName))).toBe(status);
  });

  test("SNI in capital letters is the same", async () => {
    expect(await statusOf(get(name("first")), name("first").toUpperCase())).toBe(200);
  });

  test("HTTP/2: its own host is served, another one is refused on the same connection", async () => {
    await withHttp2(name("first"), async (session) => {
      const own = await ask(session, { ":authority": name("first") });
      expect(own.status).toBe(200);
      const echo = JSON.parse(own.text) as Echo;
      expect([echo.httpVersion, echo.url, valuesOf(echo, "host")]).toEqual(["1.1", "/path", [name("first")]]);
      expect(valuesOf(echo, "x-forwarded-proto")).toEqual(["https"]);
      expect((await ask(session, { ":authority": name("second") })).status).toBe(421);
      expect((await ask(session, { ":authority": name("first") })).status).toBe(200);
    });
  });

  test.each([
    ["a Host that differs: the authority counts", { host: "other.example" }, 200],
    ["TRACE", { ":method": "TRACE" }, 405],
    ["a path above the root", { ":path": "/../a" }, 400],
    ["an asterisk", { ":method": "OPTIONS", ":path": "*" }, 400],
    ["a backslash", { ":path": "/a\\b" }, 400],
    ["a long path", { ":path": `/${"a".repeat(8192)}` }, 414],
    ["a large head", { "x-a": "a".repeat(9_000), "x-b": "b".repeat(9_000) }, 431],
    ["a scheme that is not the connection's", { ":scheme": "http" }, 200],
    ["a scheme that is not of the web", { ":scheme": "ftp" }, 400],
    ["a scheme of one letter", { ":scheme": "x" }, 400],
    ["a scheme in large letters", { ":scheme": "HTTPS" }, 400],
  ])("HTTP/2: %s", async (_, headers, status) => {
    await withHttp2(name("first"), async (session) => {
      const answer = await ask(session, { ":authority": name("first"), ...headers });
      expect(answer.status).toBe(status);
      if (status === 200) {
        const echo = JSON.parse(answer.text) as Echo;
        expect(valuesOf(echo, "host")).toEqual([name("first")]);
        expect(valuesOf(echo, "x-forwarded-proto")).toEqual(["https"]);
      }
    });
  });
});
