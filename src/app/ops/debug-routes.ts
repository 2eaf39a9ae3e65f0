import { Session } from "node:inspector";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { sleep } from "../../base/core/clock.ts";
import { isLogLevel, type Logger, logLevels } from "../../base/log/log.ts";
import { commandsOnly } from "./command-request.ts";
import { plain } from "./plain-reply.ts";

/** Path of profiles and of the log's level. */
export const debugPath = "/debug";

const usualSeconds = 10;
const mostSeconds = 60;

/** What is measured: commands of Node's inspector, the last of which returns the profile. */
const profiles = {
  profile: { domain: "Profiler", start: "Profiler.start", stop: "Profiler.stop", ending: "cpuprofile" },
  heap: {
    domain: "HeapProfiler",
    start: "HeapProfiler.startSampling",
    stop: "HeapProfiler.stopSampling",
    ending: "heapprofile",
  },
} as const;

/**
 * For commands on the same machine; must be registered with the prefix {@link debugPath}:
 *
 * - `GET /profile?seconds=10`: CPU profile, `GET /heap?seconds=10`: what was allocated in that time and is
 *   still in use, by function. One at a time. They have no values: a heap snapshot would have secrets.
 * - `GET /log-level`, `PUT /log-level?level=debug`: until the configuration is read again.
 */
export function debugRoutes(log: Logger): FastifyPluginAsync {
  return async (scope) => {
    commandsOnly(scope);
    let isProfiling = false;
    for (const [name, kind] of Object.entries(profiles)) {
      scope.get(`/${name}`, async (request, reply) => {
        const seconds = secondsOf(request);
        if (seconds === undefined) {
          return plain(reply, 400, `seconds must be a whole number from 1 to ${mostSeconds}\n`);
        }
        if (isProfiling) return plain(reply, 503, "a profile is being taken; try again later\n");
        isProfiling = true;
        try {
          const profile = await take(kind, seconds, goneSignal(reply));
          const file = `telemetryd-${name}-${new Date().toISOString().replace(/[:.]/g, "-")}.${kind.ending}`;
          reply.header("content-disposition", `attachment; filename="${file}"`);
          return reply.type("application/json").send(JSON.stringify(profile));
        } catch (error) {
          // Nobody waits for it any longer.
          if (reply.raw.destroyed) return reply.hijack();
          throw error;
        } finally {
          isProfiling = false;
        }
      });
    }
    scope.get("/log-level", async (_, reply) => plain(reply, 200, `${log.level}\n`));
    scope.put("/log-level", async (request, reply) => {
      const { level } = request.query as { readonly level?: unknown };
      if (!isLogLevel(level)) return plain(reply, 400, `level must be one of ${logLevels.join(", ")}\n`);
      const before = log.level;
      log.level = level;
      return plain(reply, 200, `${before}\n`);
    });
  };
}

function secondsOf({ query }: FastifyRequest): number | undefined {
  const { seconds = String(usualSeconds) } = query as { readonly seconds?: unknown };
  if (typeof seconds !== "string" || !/^\d{1,2}$/.test(seconds)) return undefined;
  const number = Number(seconds);
  return number >= 1 && number <= mostSeconds ? number : undefined;
}

/** Aborts when the client has disconnected. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once("close", () => gone.abort());
  return gone.signal;
}

async function take(
  { domain, start, stop }: (typeof profiles)[keyof typeof profiles],
  seconds: number,
  signal: AbortSignal,
): Promise<unknown> {
  const session = new Session();
  session.connect();
  const post = (method: string) =>
    new Promise<unknown>((resolve, reject) => {
      session.post(method, (error, result) => (error === null ? resolve(result) : reject(error)));
    });
  try {
    await post(`${domain}.enable`);
    await post(start);
    await sleep(seconds * 1_000, signal);
    const { profile } = (await post(stop)) as { readonly profile: unknown };
    return profile;
  } finally {
    // Ends the measurement, too.
    session.disconnect();
  }
}
