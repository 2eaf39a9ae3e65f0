import { createServer, request as send } from "node:http";
import type { Socket } from "node:net";

/** A server in front of the stores of several tenants, as Mimir's or a VictoriaMetrics cluster's. */
export interface TenantFront extends AsyncDisposable {
  readonly url: string;
  /** Tenants of the requests that were passed on. */
  readonly served: Set<string>;
  /** Requests without a tenant, with several, or with an unknown one, as `tenant path`. */
  readonly refused: string[];
  /** Connections that have carried requests of more than one tenant. */
  sharedConnections: number;
}

/**
 * Passes each request on to the store of its tenant: the one that `X-Scope-OrgID` names, or `TENANT` in
 * `/select/TENANT/prometheus/…`. Responds with 401 where there is none, and with 404 to unknown ones.
 *
 * @param stores URLs, by tenant
 */
export async function startTenantFront(
  form: "header" | "path",
  stores: Readonly<Record<string, string>>,
): Promise<TenantFront> {
  const sockets = new Set<Socket>();
  const tenantOf = new WeakMap<Socket, string>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const inPath = /^\/select\/([^/]+)\/prometheus(\/.*)$/.exec(path);
    const headers = request.headersDistinct["x-scope-orgid"] ?? [];
    const [tenant, target] = form === "header" ? [headers[0], path] : [inPath?.[1], inPath?.[2]];
    const store = tenant === undefined ? undefined : stores[tenant];
    const isClear = form === "header" ? headers.length === 1 : headers.length === 0;
    if (tenant === undefined || target === undefined || store === undefined || !isClear) {
      front.refused.push(`${tenant ?? "-"} ${path}`);
      response.writeHead(tenant === undefined ? 401 : 404).end("no such tenant");
      return;
    }
    front.served.add(tenant);
    const { socket } = request;
    if ((tenantOf.get(socket) ?? tenant) !== tenant) front.sharedConnections++;
    tenantOf.set(socket, tenant);
    const { connection: _, host: __, ...passed } = request.headers;
    const onward = send(store + target, { method: request.method, headers: passed }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const base = `http://127.0.0.1:${port}`;
  const front: TenantFront = {
    url: form === "header" ? base : `${base}/select/{tenant}/prometheus`,
    served: new Set(),
    refused: [],
    sharedConnections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return front;
}
