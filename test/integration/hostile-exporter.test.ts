import { expect, test } from "vitest";
import { checkManifest } from "../../src/exporter/policy/spec/manifest.ts";
import type { Credentials } from "../../src/exporter/policy/spec/types.ts";
import type { Destination, InvalidEndpoint } from "../../src/exporter/remote-write/destination.ts";
import type { Endpoints } from "../../src/exporter/remote-write/endpoints.ts";
import { postLimits } from "../../src/exporter/remote-write/transport/post.ts";
import { followed, forbiddenUrls, TokenServers } from "../abuse/hostile-logins.ts";
import { forgeries, policyWith, refusedTargets } from "../abuse/hostile-targets.ts";
import { operatorHeader } from "../abuse/operator-header.ts";
import { type OperatorReceiver, startOperatorReceiver } from "../abuse/operator-receiver.ts";
import { forbiddenZone, hostileProject, tenantLabel } from "../abuse/scene.ts";
import { Tally } from "../abuse/tally.ts";
import { type NameServer, startNameServer } from "../support/net/name-server.ts";
import { openEndpoints } from "../support/receiver/endpoints.ts";
import { never, smallRequest } from "../support/receiver/requests.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** The pieces of the abuse proof's hostile exporter, each by itself: real token endpoints, names and a receiver. */

let operators: OperatorReceiver;
let names: NameServer;
let endpoints: Endpoints;
setUpAll(async ({ keep }) => {
  operators = await keep(startOperatorReceiver());
  names = await keep(startNameServer((name) => (name.endsWith(forbiddenZone) ? ["169.254.169.254"] : [])));
  const headers = { [operatorHeader.name]: operatorHeader.value };
  const usual = { environmentCredentials: false, tls: {}, externalLabels: {}, dropLabels: [] };
  const trusted = { ...usual, headers, maxSamplesPerSecond: 0 };
  endpoints = await keep(
    openEndpoints(
      {
        endpoints: [
          { ...trusted, urlPrefix: `${operators.url}/shared`, tenants: true },
          { ...trusted, urlPrefix: `${operators.url}/own`, tenants: false },
        ],
        egress: { deny: [], allow: ["127.0.0.0/8"], trustProxy: false, nameServers: [names.address] },
      },
      // A token endpoint that drips is cut off.
      { postLimits: { ...postLimits, bodyMs: 1_000 } },
    ),
  );
});

interface Attack {
  readonly tokenUrl?: string;
  readonly headers?: Record<string, string>;
}

function connect(path: string, { tokenUrl, headers }: Attack): Destination | InvalidEndpoint {
  const credentials: Credentials | undefined =
    tokenUrl === undefined
      ? undefined
      : {
          ...{ kind: "oauth2", clientId: "evil", clientSecret: "a-secret-of-evil", scopes: [] },
          ...{ tokenUrl, endpointParams: {} },
        };
  return endpoints.destinationOf({
    ...{ endpoint: operators.url + path, scope: "tenant", tenant: hostileProject, headers, tenantLabel },
    retry: { maxAttempts: 1, backoffMs: 10 },
    credentials: () => credentials,
    interrupt: () => never,
  });
}

async function outcomeOf(path: string, attack: Attack) {
  const destination = connect(path, attack);
  return destination.kind === "invalid" ? destination : await destination.sender.send(smallRequest(), never);
}

test("token endpoints that drip, redirect, or send 100 MB or no token: no request reaches the receiver", async () => {
  const tally = new Tally();
  await using servers = new TokenServers(tally);
  await servers.start();
  const before = operators.requests;
  const outcomes = await Promise.all(servers.urls.map((tokenUrl) => outcomeOf("/own/login", { tokenUrl })));
  expect(outcomes.map(({ kind }) => kind).filter((kind) => kind === "delivered")).toEqual([]);
  expect(JSON.stringify(outcomes)).not.toContain("a-secret-of-evil");
  expect(operators.requests).toBe(before);
  // Each of them was asked, and the redirect was not followed.
  expect(Object.keys(tally.report())).toHaveLength(servers.urls.length);
  expect(tally.report()).not.toHaveProperty(followed);
});

test.each(forbiddenUrls)("a token endpoint at a forbidden address is blocked: %s", async (tokenUrl) => {
  expect(await outcomeOf("/own/login", { tokenUrl })).toMatchObject({ kind: "forbidden" });
});

test("the operator's header is sent below the prefix for tenants, and nowhere else; no tenant replaces it", async () => {
  const headers = { [operatorHeader.name.toLowerCase()]: hostileProject };
  expect(await outcomeOf("/shared/replaced", { headers })).toMatchObject({ kind: "invalid" });
  for (const path of ["/own/replaced", "/own/%2e%2e/shared/replaced", "/shared%2freplaced"]) {
    await outcomeOf(path, { headers });
  }
  const before = operators.requests;
  expect(await outcomeOf("/shared/plain", {})).toMatchObject({ kind: "delivered" });
  expect(await outcomeOf("/own/plain", {})).toMatchObject({ kind: "delivered" });
  await until("both have arrived", () => operators.requests >= before + 2);
  expect(operators.wrongHeaders).toEqual([]);
  // The receiver can tell: these series have no tenant label.
  expect(operators.forged.length).toBeGreaterThan(0);
});

test("the operator's receiver notes a header that is not the sender's", async () => {
  await fetch(`${operators.url}/own/x`, {
    ...{ method: "POST", body: new Uint8Array(smallRequest().payload) },
    headers: { [operatorHeader.name]: operatorHeader.value },
  });
  await until("it was noted", () => operators.wrongHeaders.length === 1);
});

const check = (target: object) => {
  const policy = policyWith("evil", "up", "http://127.0.0.1:1/x", target as Record<string, unknown>);
  const options = { plane: hostileProject, unknownFields: "error", tenantLabel } as const;
  return checkManifest(JSON.stringify(policy), "evil.json", options).faults;
};

test.each(Object.entries(refusedTargets))("a policy is refused: %s", (_, target) => {
  expect(check(target).map(({ severity }) => severity)).toContain("error");
});

test("a policy without them is not, and rules that name the tenant label are", () => {
  expect(check({})).toEqual([]);
  expect(forgeries.map((target) => check(target).length > 0)).toEqual([true, true, false]);
});
