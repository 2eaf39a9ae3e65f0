import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { withoutBrackets } from "../../base/net/host.ts";
import { hostName, isLoopback } from "./known-host.ts";
import { plain } from "./plain-reply.ts";

/** Sent by telemetryd's own commands. A page of another site cannot send it without asking first (CORS). */
export const commandHeader = "x-telemetryd-command";

/** Whatever forwards requests from elsewhere adds one of these; browsers add `Origin` and `Sec-Fetch-*`. */
const foreignHeaders = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"],
  ...["origin", "referer", "sec-fetch-site", "cookie"],
] as const;

type CommandRequest = Pick<IncomingMessage, "headers"> & {
  readonly socket: Pick<IncomingMessage["socket"], "remoteAddress">;
};

/**
 * Why a request is not one of a command on this machine, or undefined when it is: from a loopback address,
 * for a loopback host, with the header of commands, and without those of browsers and proxies.
 */
export function commandProblem({ headers, socket }: CommandRequest): string | undefined {
  const { remoteAddress = "" } = socket;
  if (!isLoopback(remoteAddress.replace(/^::ffff:/i, ""))) {
    return "this is only for commands on the daemon's own machine or in its container";
  }
  const name = withoutBrackets(hostName(headers.host ?? "") ?? "");
  if (!isLoopback(name)) return "the request's host must be localhost or a loopback address";
  if (headers[commandHeader] === undefined) return `a command sends the header ${commandHeader}`;
  const foreign = foreignHeaders.find((header) => headers[header] !== undefined);
  return foreign && `a command sends no header ${foreign}`;
}

/** Of each group of routes: they read whole folders, or hold several MiB. */
const requestsAtOnce = 2;

/** Refuses all requests of a scope that {@link commandProblem} refuses, and all but two at the same time. */
export function commandsOnly(scope: FastifyInstance): void {
  let open = 0;
  scope.addHook("onRequest", async (request, reply) => {
    const problem = commandProblem(request.raw);
    if (problem !== undefined) return plain(reply, 403, `${problem}\n`);
    if (open >= requestsAtOnce) {
      return plain(reply, 503, "two such requests are in progress; try again later\n");
    }
    open++;
    reply.raw.once("close", () => open--);
  });
}
