import { readFile, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { projectRoot } from "../daemon/build.ts";
import type { DemoPlatform } from "./demo-platform.ts";

/** The HTTPProxy of the demo's project. */
export interface DemoProxy {
  readonly hostname: string;
  /** Ports of the gateway on this machine, for HTTP and for HTTPS. */
  readonly port: number;
  readonly tlsPort: number;
  /** Certificate of the authority that issued the gateway's. */
  readonly caFile: string;
  /** Where the requests go. */
  readonly endpoint: string;
}

export interface DemoProxyOptions extends Omit<DemoProxy, "hostname"> {
  readonly platform: DemoPlatform;
  readonly folder: string;
}

const name = "platform/http-proxy.yaml";
const placeholder = "http://10.128.0.2:8080";

/** Applies the HTTPProxy in front of a backend, and waits until a gateway serves it. */
export async function startDemoProxy(
  { platform, folder, ...proxy }: DemoProxyOptions,
  signal: AbortSignal,
): Promise<DemoProxy> {
  const text = await readFile(join(projectRoot, "config", "demo", name), "utf8");
  const file = join(folder, name);
  await writeFile(file, text.replace(placeholder, proxy.endpoint));
  return { ...proxy, hostname: await platform.proxyHostname(file, signal) };
}

/** The command that reaches the backend through the gateway. */
export function curlLine({ hostname, port }: DemoProxy): string {
  return `curl -H 'Host: ${hostname}' http://127.0.0.1:${port}/`;
}

/** The same with TLS. */
export function tlsCurlLine({ hostname, tlsPort, caFile }: DemoProxy): string {
  const address = `${hostname}:${tlsPort}`;
  return `curl --cacert ${caFile} --resolve ${address}:127.0.0.1 https://${address}/`;
}

/** Status of what that command gets. */
export function statusThroughProxy({ hostname, port }: DemoProxy, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, headers: { Host: hostname }, signal };
    get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on("error", reject);
  });
}
