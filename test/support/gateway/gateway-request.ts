import { request } from "node:http";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import type { Echo, ReceivedRequest } from "./gateway-backend.ts";
import { hostOf } from "./running-gateway.ts";

export interface GatewayRequest {
  /** Default: `/`. */
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Default: the program's own. */
  readonly host?: string;
  readonly body?: string;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** What the backend received. @throws Error when no backend answered */
  readonly echo: Echo;
}

/** Sends a request for a program's hostname to the gateway's port for HTTP. */
export function send(
  port: number,
  program: RouteProgram,
  { path = "/", method = "GET", headers = {}, host = hostOf(program.gateway), body }: GatewayRequest = {},
): Promise<GatewayAnswer> {
  return new Promise((resolve, reject) => {
    // On a connection of its own: one that was used before gets its next answer by what was loaded at its
    // start, and is closed without one when a backend ends without an answer.
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: { Host: host, ...headers },
      agent: false,
    };
    const sent = request(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("error", reject);
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          ...{ status: answer.statusCode ?? 0, headers: answer.headers, text },
          get echo() {
            if (!text.startsWith("{"))
              throw new Error(`no backend answered, but ${answer.statusCode}: ${text}`);
            return JSON.parse(text) as Echo;
          },
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** All values of a header that a backend received. */
export function valuesOf({ headers }: Pick<ReceivedRequest, "headers">, name: string): string[] {
  return headers.filter(([each]) => each.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
}
