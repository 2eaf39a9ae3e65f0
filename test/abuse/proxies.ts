import { request } from "node:http";
import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { rawHttp } from "../support/net/raw-http.ts";
import { httpsRequest, projectBase } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";
import { deadZone, honestProject, hostileProject } from "./scene.ts";
import type { Tally } from "./tally.ts";

/** A gateway, as both members know it. */
export interface GatewayAccess {
  /** The platform's address. */
  readonly url: string;
  readonly bearer: string;
  /** The gateway's port for HTTP. */
  readonly gatewayPort: number;
  /** `http://127.0.0.1:PORT` of a server. */
  readonly backend: string;
}

/** An edit of the honest member's proxy. */
export interface HonestEdit {
  readonly atMs: number;
  /** From the edit until a request was served by it; Infinity if none was. */
  readonly forMs: number;
  /** Responses other than 200 meanwhile. */
  readonly failed: number;
}

const mergePatch = { "content-type": "application/merge-patch+json" };
/** After this long an edit counts as never served. */
const limitMs = 30_000;
/** Hostile clients have addresses of their own: connections are limited for each. */
const addresses = { honest: "127.0.0.1", hostile: "127.0.0.3" };

function proxiesOf(url: string, project: string): string {
  return `${url}${projectBase(project)}/apis/networking.platformapis/v1alpha/namespaces/default/httpproxies`;
}

function setHeader(value: string): object {
  return { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "x-edit", value }] } };
}

/** Edits the honest project's proxy every few seconds, until the signal aborts. */
export async function honestEdits(access: GatewayAccess, signal: AbortSignal): Promise<HonestEdit[]> {
  const { url, bearer, gatewayPort, backend } = access;
  const agent = new Agent({ keepAlive: true });
  const proxies = proxiesOf(url, honestProject);
  const specOf = (edit: number) => ({
    rules: [{ filters: [setHeader(String(edit))], backends: [{ endpoint: backend }] }],
  });
  const body = { metadata: { name: "shop" }, spec: specOf(0) };
  const created = await httpsRequest(proxies, { method: "POST", bearer, agent, body });
  if (created.code !== 201) throw new Error(`the honest proxy: ${created.code} ${created.text}`);
  let host = "";
  await until("the honest proxy is served", async () => {
    const { json } = await httpsRequest(`${proxies}/shop`, { bearer, agent });
    host = json.status?.hostname ?? "";
    return host !== "" && (await editServed(gatewayPort, host).catch(() => undefined)) === "0";
  });
  const edits: HonestEdit[] = [];
  for (let edit = 1; !signal.aborted; edit++) {
    const atMs = Date.now();
    let failed = 0;
    let served: string | undefined;
    const patch = { method: "PATCH", bearer, agent, body: { spec: specOf(edit) }, headers: mergePatch };
    await httpsRequest(`${proxies}/shop`, patch).catch(() => undefined);
    while (served !== String(edit) && Date.now() < atMs + limitMs) {
      served = await editServed(gatewayPort, host).catch(() => undefined);
      if (served === undefined) failed += 1;
      await sleep(50, signal).catch(() => undefined);
      if (signal.aborted) break;
    }
    const isServed = served === String(edit);
    if (isServed || !signal.aborted)
      edits.push({ atMs, forMs: isServed ? Date.now() - atMs : Infinity, failed });
    await sleep(4_000, signal).catch(() => undefined);
  }
  agent.destroy();
  return edits;
}

/** The number of the edit that a response has; undefined if it is not 200. */
function editServed(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      localAddress: addresses.honest,
      headers: { host },
      agent: false,
    };
    const sent = request({ ...options, timeout: 5_000 }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () =>
        resolve(response.statusCode === 200 ? String(response.headers["x-edit"]) : undefined),
      );
    });
    sent.on("timeout", () => sent.destroy(new Error("no response in 5 s")));
    sent.on("error", reject);
    sent.end();
  });
}

/** What a hostile member declares: as many costly proxies as the quota takes, edited all the time. */
export async function proxyAttacks(access: GatewayAccess, tally: Tally, signal: AbortSignal): Promise<void> {
  const { url, bearer, gatewayPort, backend } = access;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const proxies = proxiesOf(url, hostileProject);
  const call = (method: string, path: string, body?: object) => {
    const headers = method === "PATCH" ? mergePatch : {};
    return httpsRequest(`${proxies}${path}`, { method, bearer, agent, body, headers });
  };
  const churn = async (): Promise<void> => {
    for (let index = 0; index < 40 && !signal.aborted; index++) {
      const body = { metadata: { name: `costly-${index}` }, spec: costly(index, backend) };
      await tally.attempt("proxies: a costly one", async () => (await call("POST", "", body)).code);
    }
    for (let edit = 0; edit < 200 && !signal.aborted; edit++) {
      const spec = costly(edit, backend);
      const path = `/costly-${edit % 40}`;
      await tally.attempt(
        "proxies: a costly one edited",
        async () => (await call("PATCH", path, { spec })).code,
      );
      await sleep(100, signal).catch(() => undefined);
    }
  };
  const smuggling = async (): Promise<void> => {
    const length = "18446744073709551617";
    const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    for (const head of [`Content-Length: ${length}`, "Content-Length: 4\r\nContent-Length: 5"]) {
      const bytes = `POST / HTTP/1.1\r\nHost: x.proxy.localhost\r\n${head}\r\n\r\n${hidden}`;
      await tally.attempt("proxies: an odd length", async () => {
        const { text } = await rawHttp(gatewayPort, bytes, { localAddress: addresses.hostile, limitMs: 500 });
        return text.slice(9, 12) || "cut";
      });
    }
    await sleep(200, signal).catch(() => undefined);
  };
  const slowHeads = async (): Promise<void> => {
    const held = Array.from({ length: 300 }, () =>
      tally.attempt("proxies: a head that never ends", async () => {
        const { end } = await rawHttp(gatewayPort, "GET / HTTP/1.1\r\nX: ", {
          localAddress: addresses.hostile,
          limitMs: 8_000,
        });
        return end;
      }),
    );
    await Promise.all(held);
  };
  const forever = async (attack: () => Promise<void>): Promise<void> => {
    while (!signal.aborted) await attack();
  };
  await Promise.all([forever(churn), forever(smuggling), forever(slowHeads)]);
  agent.destroy();
}

/** As many rules, matches and filters as a proxy may have, with backends whose names do not resolve. */
function costly(nonce: number, backend: string): object {
  const header = (name: string) => ({ name, value: `${nonce}-${"x".repeat(100)}` });
  const rules = Array.from({ length: 16 }, (_, rule) => ({
    matches: Array.from({ length: 8 }, (_, match) => ({
      path: { type: "PathPrefix", value: `/${nonce}/${rule}/${match}` },
      headers: Array.from({ length: 3 }, (_, index) => header(`x-match-${index}`)),
    })),
    filters: [
      {
        type: "RequestHeaderModifier",
        requestHeaderModifier: { set: Array.from({ length: 16 }, (_, index) => header(`x-set-${index}`)) },
      },
    ],
    backends: [{ endpoint: rule % 2 === 0 ? backend : `https://host-${nonce}-${rule}.${deadZone}` }],
  }));
  return { rules };
}
