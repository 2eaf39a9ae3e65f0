import { type EngineClient, EngineRefusal, unlessRefused } from "./engine-client.ts";

/** What Podman 4 says of a container that has lost its storage. */
const withoutStorage = /^getting container from store "([0-9a-f]{64})": container not known$/;
/** Removals that one request may finish; the next request continues. */
const maxRemovals = 16;

/**
 * A client that finishes the removals which a killed Podman has begun. Podman refuses to list containers and
 * networks as long as there is a container whose storage is gone. That one cannot run again, whoever's it is.
 */
export function finishingRemovals(client: EngineClient): EngineClient {
  return {
    ...client,
    async send(method, path, options, signal) {
      for (let removals = 0; ; removals += 1) {
        try {
          return await client.send(method, path, options, signal);
        } catch (error) {
          const id = error instanceof EngineRefusal ? withoutStorage.exec(error.message)?.[1] : undefined;
          if (id === undefined || method !== "GET" || removals === maxRemovals) throw error;
          const removal = { query: { force: "true", v: "true" } };
          await unlessRefused([404], client.send("DELETE", `/containers/${id}`, removal, signal));
        }
      }
    },
  };
}
