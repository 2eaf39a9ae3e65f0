import { expect, test } from "vitest";
import type { CrossOrigin, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";

/** The filter CORS in a running HAProxy. */
let gateway: RunningGateway;
let backend: GatewayBackend;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
});

const withCors = (cors: Partial<CrossOrigin>): RouteProgram =>
  programOf([
    {
      backend: { scheme: "http", host: "127.0.0.1", port: backend.port },
      cors: {
        ...{ origins: ["https://www.foo.example", "https://*.bar.example", "http://baz.example:8080"] },
        ...{ methods: ["GET", "PUT"], headers: ["x-a", "x-b"], exposed: ["x-c"], hasCredentials: false },
        ...{ maxAgeSeconds: 3600, ...cors },
      },
    },
  ]);

type Case = [origin: string | undefined, method: string, response: string];

test.each<[what: string, cors: Partial<CrossOrigin>, cases: Case[]]>([
  [
    "origins",
    {},
    [
      ["https://www.foo.example", "GET", "200 https://www.foo.example - exposed x-c"],
      [
        "https://www.foo.example",
        "OPTIONS",
        "204 https://www.foo.example - GET, PUT|x-a, x-b|3600 exposed x-c",
      ],
      ["https://a.b.bar.example", "GET", "200 https://a.b.bar.example - exposed x-c"],
      ["http://baz.example:8080", "GET", "200 http://baz.example:8080 - exposed x-c"],
      ["https://bar.example", "GET", "200 - -"],
      ["https://evil.example/.bar.example", "GET", "200 - -"],
      ["https://www.foo.example.evil.example", "OPTIONS", "204 - -"],
      ["http://www.foo.example", "OPTIONS", "204 - -"],
      ["https://axbarxexample", "GET", "200 - -"],
      [undefined, "GET", "200 - -"],
    ],
  ],
  [
    "any origin",
    { origins: ["*"], methods: ["*"], headers: ["*"], exposed: [] },
    [
      ["https://any.example", "GET", "200 * -"],
      ["https://any.example", "OPTIONS", "204 * - *|*|3600"],
    ],
  ],
  [
    "any origin with credentials: what was asked for, by name",
    { origins: ["*"], methods: ["*"], headers: ["*"], exposed: [], hasCredentials: true },
    [
      ["https://any.example", "GET", "200 https://any.example true"],
      ["https://any.example", "OPTIONS", "204 https://any.example true PUT|x-asked|3600"],
    ],
  ],
  ["no origin", { origins: [] }, [["https://any.example", "OPTIONS", "204 - -"]]],
])("CORS: %s", async (_, cors, cases) => {
  const program = withCors(cors);
  await gateway.load(program);
  const before = backend.received.filter(({ method }) => method === "OPTIONS").length;
  for (const [origin, method, expected] of cases) {
    const { status, headers } = await send(gateway.port, program, {
      method,
      headers: {
        ...(origin === undefined ? {} : { Origin: origin }),
        ...(method === "OPTIONS"
          ? { "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-asked" }
          : {}),
      },
    });
    const of = (name: string) => headers[`access-control-${name}`];
    const preflight = of("max-age") && `${of("allow-methods")}|${of("allow-headers")}|${of("max-age")}`;
    const exposed = of("expose-headers") && `exposed ${of("expose-headers")}`;
    const seen = [status, of("allow-origin") ?? "-", of("allow-credentials") ?? "-", preflight, exposed];
    expect(seen.filter((each) => each !== undefined).join(" "), `${method} of ${origin}`).toBe(expected);
    const isAny = String(cors.origins) === "*" && cors.hasCredentials !== true;
    expect(headers["vary"]).toBe(isAny ? undefined : "Origin");
  }
  expect(backend.received.filter(({ method }) => method === "OPTIONS")).toHaveLength(before);
});

test("OPTIONS that is no preflight goes to the backend, and 64 origins of a rule are accepted", async () => {
  const origins = Array.from({ length: 64 }, (_, index) => `https://o${index}.example`);
  const program = withCors({ origins });
  await gateway.load(program);
  const answer = await send(gateway.port, program, {
    method: "OPTIONS",
    headers: { Origin: "https://o63.example" },
  });
  expect([answer.status, answer.echo.method, answer.headers["access-control-allow-origin"]]).toEqual([
    ...[200, "OPTIONS", "https://o63.example"],
  ]);
});

test.each([
  ["GET", ["https://www.foo.example", "https://evil.example"]],
  ["GET", ["https://evil.example", "https://www.foo.example"]],
  ["OPTIONS", ["https://www.foo.example", "https://evil.example"]],
])("CORS: %s with two origins is for neither", async (method, origins) => {
  const program = withCors({ hasCredentials: true });
  await gateway.load(program);
  const lines = [...origins.map((each) => `Origin: ${each}`), "Access-Control-Request-Method: PUT"];
  const head = [`${method} / HTTP/1.1`, `Host: ${hostOf(program.gateway)}`, ...lines, "Connection: close"];
  const { text } = await rawHttp(gateway.port, `${head.join("\r\n")}\r\n\r\n`);
  expect(statusesIn(text)).toEqual([method === "GET" ? 200 : 204]);
  expect(text).not.toMatch(/^access-control-allow/im);
});
