import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { httpsRequest, projectBase } from "../support/plane/platform.ts";
import { forbiddenUrls, TokenServers } from "./hostile-logins.ts";
import { forgeries, policyWith, refusedTargets, type Target } from "./hostile-targets.ts";
import { hostileProject, hostileSeries } from "./scene.ts";
import type { Tally } from "./tally.ts";

export interface ExporterAccess {
  /** The platform's address. */
  readonly url: string;
  readonly bearer: string;
  /** Of the receiver that the operator has credentials for. */
  readonly operatorUrl: string;
}

/** Attacks that must be refused; their outcomes are status codes. */
export const refused = "exporter, to be refused: ";
/** Attacks whose sink must end as InvalidTarget; their outcomes are reasons of conditions. */
export const blocked = "exporter, to be blocked: ";

const never = new AbortController().signal;
/** Below `/shared` the operator's header would have to be replaced, and elsewhere it must not be sent. */
const foreignPaths = [
  "/shared/replaced",
  "/own/replaced",
  "/own/%2e%2e/shared/replaced",
  "/shared%2freplaced",
];

/** A member whose ExportPolicies have hostile headers, rules and logins, until the signal aborts. */
export async function exporterAttacks(
  { url, bearer, operatorUrl }: ExporterAccess,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  const base = `${url}${projectBase(hostileProject)}`;
  const policies = `${base}/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies`;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const call = (method: string, to: string, body?: unknown) =>
    httpsRequest(to, { method, bearer, body, agent, headers: { "content-type": "application/json" } });
  const attempt = (name: string, method: string, to: string, body: unknown) =>
    tally.attempt(name, async () => (await call(method, to, body)).code);

  await using servers = new TokenServers(tally);
  await servers.start();
  await call("POST", `${base}/api/v1/namespaces/default/secrets`, {
    ...{ metadata: { name: "login" }, type: "Opaque", stringData: { clientSecret: "a-secret-of-evil" } },
  });
  const loginAt = (tokenURL: string): Target => ({
    authentication: { oauth2: { clientId: "evil", secretRef: { name: "login" }, tokenURL } },
  });
  const tenantHeader = { headers: [{ name: "x-scope-orgid", value: hostileProject }] };
  const accepted = [
    ...[...servers.urls, ...forbiddenUrls].map((tokenUrl, index) =>
      policyWith(`login-${index}`, "abuse_total", `${operatorUrl}/own/login`, loginAt(tokenUrl)),
    ),
    ...foreignPaths.map((path, index) =>
      policyWith(`foreign-${index}`, "abuse_total", operatorUrl + path, tenantHeader),
    ),
    ...forgeries.map((target, index) =>
      policyWith(`forged-${index}`, hostileSeries, `${operatorUrl}/shared/forged-${index}`, target),
    ),
  ];
  await Promise.all(
    accepted.map((policy) => attempt("exporter: a hostile policy", "POST", policies, policy)),
  );
  while (!signal.aborted) {
    const attempts = Object.entries(refusedTargets).map(([name, target]) => {
      const policy = policyWith("refused", "abuse_total", `${operatorUrl}/own/refused`, target);
      return attempt(`${refused}${name}`, "POST", policies, policy);
    });
    await Promise.all(attempts);
    await sleep(5_000, signal).catch(() => undefined);
  }
  for (const [index, tokenUrl] of forbiddenUrls.entries()) {
    const policy = `${policies}/login-${servers.urls.length + index}`;
    let reason = "none";
    // A status is written only after the policy was tried.
    for (let attempts = 0; attempts < 20 && reason === "none"; attempts++) {
      const { json } = await call("GET", policy);
      const conditions: { status: string; reason: string }[] = json?.status?.sinks?.[0]?.conditions ?? [];
      reason = conditions.find(({ status }) => status === "False")?.reason ?? "none";
      if (reason === "none") await sleep(500, never);
    }
    tally.note(`${blocked}${tokenUrl}`, reason);
  }
  agent.destroy();
}
