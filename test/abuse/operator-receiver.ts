import { createServer } from "node:http";
import { decodeWriteRequest } from "../../scripts/samples/wire-codec.ts";
import { operatorHeader } from "./operator-header.ts";
import { hostileProject, tenantLabel } from "./scene.ts";

/** A receiver for which the operator has credentials: below `/shared` for tenants too, below `/own` not. */
export interface OperatorReceiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: number;
  /** Series that arrived. */
  readonly series: number;
  /** Requests whose header another chose, or that carry the operator's where it must not be. */
  readonly wrongHeaders: readonly string[];
  /** Series without the tenant label of the hostile project, or with one that is equal to it once it is legal. */
  readonly forged: readonly string[];
}

export async function startOperatorReceiver(): Promise<OperatorReceiver> {
  const wrongHeaders: string[] = [];
  const forged: string[] = [];
  const counts = { requests: 0, series: 0 };
  const note = (list: string[], text: string): void => {
    if (list.length < 100) list.push(text);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.writeHead(204).end();
      counts.requests++;
      const path = request.url ?? "";
      const scope = String(request.headers[operatorHeader.name.toLowerCase()] ?? "");
      const isRight = (scope === operatorHeader.value) === /^\/shared(?:\/|$)/.test(path);
      if (!isRight) note(wrongHeaders, `${path} ${scope}`);
      for (const { labels } of decodeWriteRequest(Buffer.concat(chunks))) {
        counts.series++;
        const ofTenant = labels.filter(({ name }) => name.replace(/[^a-zA-Z0-9_]/g, "_") === tenantLabel);
        const [only, other] = ofTenant;
        const isOwn = only?.name === tenantLabel && only.value === hostileProject && other === undefined;
        if (!isOwn) note(forged, JSON.stringify(labels).slice(0, 300));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return counts.requests;
    },
    get series() {
      return counts.series;
    },
    wrongHeaders,
    forged,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
