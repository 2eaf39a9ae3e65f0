import { createHash } from "node:crypto";
import { z } from "zod";
import type { Credentials, SinkPlan } from "../../policy/spec/types.ts";
import type { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import type { ReceiverMemory } from "./receiver-memory.ts";

/** Suspects that survive a restart, the newest ones. */
const mostStored = 5_000;
/** The time of the last acceptance is stored as often. */
const acceptedEveryMs = 600_000;

const size = z.object({ bytes: z.number().positive(), samples: z.number().positive() });
const schema = z.object({
  endpoint: z.string(),
  learned: z.object({
    protocol: z.enum(["1.0", "2.0"]).optional(),
    names: z.enum(["utf8", "legacy"]).optional(),
    size: size.optional(),
  }),
  acceptedMs: z.number().optional(),
  suspects: z.array(z.tuple([z.number(), z.number(), z.number(), z.number()])).readonly(),
});

/** What a sink has found out about its receiver, as its state keeps it: JSON. */
export class ReceiverRecord {
  #stored = "";

  /** @returns the text to store, or undefined if the stored one is still right */
  next(plan: SinkPlan, memory: ReceiverMemory, state: EndpointState, nowMs: number): string | undefined {
    const { lastAcceptedMs } = memory;
    const learned = state.learned(nowMs);
    const acceptedMs = lastAcceptedMs && Math.floor(lastAcceptedMs / acceptedEveryMs) * acceptedEveryMs;
    const key = JSON.stringify([endpointOf(plan), learned, acceptedMs, memory.suspects.version]);
    if (key === this.#stored) return undefined;
    this.#stored = key;
    const suspects = memory.suspects.stored(mostStored);
    const record = { endpoint: endpointOf(plan), learned, acceptedMs: lastAcceptedMs, suspects };
    return JSON.stringify(record satisfies z.input<typeof schema>);
  }

  /** Restores what a text says, if it is about this endpoint. A text of another format is ignored. */
  static restore(
    text: string | undefined,
    plan: SinkPlan,
    memory: ReceiverMemory,
    state: EndpointState,
    nowMs: number,
  ): void {
    const record = text === undefined ? undefined : parse(text);
    if (record === undefined || record.endpoint !== endpointOf(plan)) return;
    memory.restoreAccepted(record.acceptedMs);
    memory.suspects.restore(record.suspects);
    state.restore(record.learned, nowMs);
  }
}

function parse(text: string): z.infer<typeof schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function endpointOf({ endpoint, credentials, headers }: SinkPlan): string {
  const login = credentials && accountOf(credentials);
  const identity = JSON.stringify([endpoint, login, ...(headers === undefined ? [] : [headers])]);
  return createHash("sha256").update(identity).digest("hex").slice(0, 16);
}

/** What stays the same when a secret is rotated. */
function accountOf(credentials: Credentials): unknown {
  switch (credentials.kind) {
    case "basicAuth":
      return credentials.username;
    case "bearer":
      return ["bearer"];
    case "oauth2":
      return [credentials.tokenUrl, credentials.clientId, credentials.scopes, credentials.endpointParams];
    case "sigv4":
      return [credentials.region, credentials.service, credentials.roleArn, credentials.keys?.accessKey];
    case "azureAd":
      return [credentials.cloud, credentials.tenantId, credentials.clientId];
    case "google":
      return ["google", credentials.account?.clientEmail];
  }
}
