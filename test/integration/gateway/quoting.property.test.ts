import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProgramRule, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";

let gateway: RunningGateway;
let backend: GatewayBackend;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
});

/** What admission lets through as the name of a header or a query parameter. */
const name = fc
  .string({ unit: fc.constantFrom(..."abyzAZ09!#$%&'*+-.^_`|~"), minLength: 1, maxLength: 20 })
  .map((text) => `x${text}`);

/** What admission lets through as a value: no control characters but tabs, no white space at its ends. */
const value = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom(..."ab '\"\\%{}[]()$#,;:!?&|<>`~\t=-/@"),
      minLength: 1,
      maxLength: 40,
    }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      "%[src]",
      "%[env(PATH)]",
      "$HOME",
      `$\{HOME}`,
      "' if TRUE",
      "\\n",
      "%%",
      "-i",
      "--",
      '"',
      "'",
    ),
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
  .map((text) => text.replace(/[\u0000-\u0008\u000a-\u001f\u007f]/g, "").trim())
  .filter((text) => text !== "");

const cases = fc.record({
  headerName: name,
  headerValue: value,
  matchName: name,
  matchValue: value,
  queryName: name,
  queryValue: value,
  added: value,
  path: fc
    .string({ unit: fc.constantFrom(..."ab09-._~!$&'()*+,;=:@"), minLength: 1, maxLength: 20 })
    .filter((text) => !/^\.+$/.test(text)),
});
type Case = typeof cases extends fc.Arbitrary<infer T> ? T : never;

function programFor(each: Case): RouteProgram {
  const target = { scheme: "http", host: "127.0.0.1", port: backend.port } as const;
  const changes: ProgramRule["requestHeaders"] = [
    {
      set: [{ name: each.headerName, value: each.headerValue }],
      add: [{ name: "x-added", value: each.added }],
      remove: [`gone-${each.headerName}`],
    },
  ];
  const rules: RuleParts[] = [
    {
      matches: [
        {
          path: { type: "PathPrefix", value: `/${each.path}` },
          headers: [{ name: each.matchName.toLowerCase(), value: each.matchValue }],
          queryParams: [{ name: each.queryName, value: each.queryValue }],
        },
      ],
      requestHeaders: changes,
      responseHeaders: changes,
      rewritePath: { type: "prefix", prefix: `/${each.path}`, replacement: `/new/${each.path}` },
      backend: target,
    },
    { backend: target },
  ];
  return programOf(rules);
}

/** Node.js writes a character of a header as a byte. */
const asBytes = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

test("whatever a tenant writes reaches the backend bit for bit, and never becomes configuration", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(cases, { minLength: 30, maxLength: 30 }), async (all) => {
      const programs = all.map(programFor);
      await gateway.load(...programs);
      for (const [index, each] of all.entries()) {
        const program = programs[index] as RouteProgram;
        expect(gateway.programs.reports.get(program.gateway)).toBeUndefined();
        const query = `${encodeURIComponent(each.queryName)}=${encodeURIComponent(each.queryValue)}`;
        const headers = { [each.matchName]: asBytes(each.matchValue), [`gone-${each.headerName}`]: "here" };
        const {
          status,
          headers: got,
          echo,
        } = await send(gateway.port, program, {
          path: `/${each.path}/rest?${query}`,
          headers,
        });
        expect(status).toBe(200);
        expect(echo.url, JSON.stringify(each)).toBe(`/new/${each.path}/rest?${query}`);
        const sent = (wanted: string): string[] =>
          echo.headers
            .filter(([name]) => name.toLowerCase() === wanted.toLowerCase())
            .map(([, text]) => text);
        expect(sent(each.headerName)).toEqual([asBytes(each.headerValue)]);
        expect(sent("x-added")).toEqual([asBytes(each.added)]);
        expect(sent(`gone-${each.headerName}`)).toEqual([]);
        expect(got[each.headerName.toLowerCase()]).toBe(asBytes(each.headerValue));
      }
      for (const { gateway: uid } of programs) await gateway.programs.remove(uid);
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
