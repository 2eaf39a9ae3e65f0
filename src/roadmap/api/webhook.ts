import type { IncomingMessage } from "node:http";
import type { Clock } from "../../base/core/clock.ts";
import { describeError, TelemetrydError } from "../../base/core/errors.ts";
import { createSharedLimit } from "../../base/core/shared-limit.ts";
import type { Logger } from "../../base/log/log.ts";
import { SecretFile } from "../../base/log/secret-file.ts";
import { type BodyOutcome, collectBody, discardBody, hasUnreadBody } from "../../base/net/request-body.ts";
import type { AnnounceChange, RoadmapReader } from "../cache/roadmap.ts";
import { type ApiResponse, problemResponse, type RawHeaders } from "./api-response.ts";
import type { ApiMetrics, WebhookResult } from "./metrics.ts";
import { createRateCounter, type RateLimit } from "./rate-counter.ts";
import { rateHeaders, tooManyRequests } from "./rate-headers.ts";
import { meaningOf, type WebhookBoard } from "./webhook-event.ts";
import { isSigned, signatureOf } from "./webhook-signature.ts";

export interface WebhookSettings {
  readonly secretFile: string;
  readonly board: WebhookBoard;
  readonly announce: AnnounceChange;
}

export interface WebhookOptions extends WebhookSettings {
  readonly roadmap: Pick<RoadmapReader, "backlog">;
  /**
   * Bounds the refused deliveries of a client. It does not bound signed ones: GitHub sends the deliveries of
   * all its users from the same addresses, so anyone can use up the limit of the secret's owner.
   */
  readonly rateLimit: RateLimit;
  readonly metrics: Pick<ApiMetrics, "webhookEnded">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Receives GitHub's webhooks: a verified event that may have changed the page starts a refresh. */
export interface Webhook {
  /** @throws FILE_UNREADABLE, INVALID_CONFIGURATION when there is no usable secret */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * @param client the address that refusals count for
   * @param invite asks for the body, where the client waits for that
   * @returns undefined when the client is gone
   */
  respond(request: IncomingMessage, client: string, invite: () => void): Promise<ApiResponse | undefined>;
}

const minSecretBytes = 16;
/** An edited issue has its text twice, each of up to 65,536 characters. GitHub itself sends up to 25 MB. */
export const bodyBounds = { maxBytes: 2 ** 20, silenceMs: 3_000, wholeMs: 5_000 };
/** Memory of all bodies that are being read. */
const heldBytes = { all: 32 * 2 ** 20, perClient: 8 * 2 ** 20 };
/** Bodies of a client beyond its limit that are read at once: one of them may be signed. */
const readsBeyondLimit = { all: Number.POSITIVE_INFINITY, perClient: 4 };
/** GitHub waits for ten seconds altogether. */
const announceLimitMs = 3_000;
const reportEveryMs = 60_000;

const deliveryForm = /^[0-9a-f-]{1,64}$/i;
const eventForm = /^[a-z0-9_]{1,64}$/;

class NoMemory extends Error {}

/** The end of a delivery: its result, and the response. `why` is for the log. */
interface Ending {
  readonly result: WebhookResult;
  readonly response: ApiResponse | undefined;
  readonly why?: string;
}

export function createWebhook(options: WebhookOptions): Webhook {
  const { board, roadmap, announce, metrics, clock, log } = options;
  const secretFile = new SecretFile(options.secretFile, clock);
  const limit = createSharedLimit(heldBytes);
  const beyondLimit = createSharedLimit(readsBeyondLimit);
  const refusals = createRateCounter(options.rateLimit, () => clock.nowMs());
  const forever = new AbortController().signal;
  let secret = "";
  let refused = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;

  /** The file's secret; the last usable one while it has none. */
  async function currentSecret(signal: AbortSignal): Promise<string> {
    const found = await secretFile.value(signal);
    if (Buffer.byteLength(found) >= minSecretBytes) secret = found;
    if (secret !== "") return secret;
    const problem = `has fewer than ${minSecretBytes} bytes; make one with: openssl rand -hex 32`;
    throw new TelemetrydError(
      "INVALID_CONFIGURATION",
      `roadmap.board.webhook.secretFile: ${secretFile.path} ${problem}`,
    );
  }

  /** Beyond the limit of refusals, a client must prove that it can sign, with few bodies at once. */
  async function receive(request: IncomingMessage, client: string, invite: () => void): Promise<Ending> {
    const signature = signatureOf(request.headers["x-hub-signature-256"]);
    const isBeyond = refusals.remaining(client) <= 0;
    if (signature === undefined)
      return isBeyond ? rateLimited() : unsigned("it has no valid X-Hub-Signature-256");
    if (!isBeyond) return await verify(request, client, invite, signature);
    if (beyondLimit.take(client) !== undefined) return rateLimited();
    try {
      const ending = await verify(request, client, invite, signature);
      return isUnverified.has(ending.result) && ending.response !== undefined ? rateLimited() : ending;
    } finally {
      beyondLimit.release(client);
    }
  }

  function rateLimited(): Ending {
    const response = tooManyRequests(refusals);
    const headers = [...rateHeaders(refusals, 0), ...(response.headers ?? [])];
    return { result: "rate-limited", response: { ...response, headers } };
  }

  async function verify(
    request: IncomingMessage,
    client: string,
    invite: () => void,
    signature: Buffer,
  ): Promise<Ending> {
    const outcome = await readBounded(request, client, invite);
    if (outcome.kind !== "read") return unread(outcome.kind);
    const { body } = outcome;
    if (!isSigned(body, signature, await currentSecret(forever))) return unsigned("its signature is wrong");
    return await act(request, body, signature);
  }

  async function readBounded(
    request: IncomingMessage,
    client: string,
    invite: () => void,
  ): Promise<BodyOutcome | { readonly kind: "no-memory" }> {
    let held = 0;
    const hold = (bytes: number): void => {
      if (limit.take(client, bytes) !== undefined) throw new NoMemory();
      held += bytes;
    };
    try {
      return await collectBody(request, bodyBounds, hold, invite);
    } catch (error) {
      if (error instanceof NoMemory) return { kind: "no-memory" };
      throw error;
    } finally {
      limit.release(client, held);
    }
  }

  /** Acts on a verified delivery. */
  async function act(request: IncomingMessage, body: Buffer, signature: Buffer): Promise<Ending> {
    const { headers } = request;
    const [event, delivery] = [headers["x-github-event"], headers["x-github-delivery"]];
    if (typeof event !== "string" || !eventForm.test(event)) return malformed("It names no event.");
    if (typeof delivery !== "string" || !deliveryForm.test(delivery)) {
      return malformed("It has no X-GitHub-Delivery.");
    }
    if (headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
      return malformed("Set the webhook's content type to application/json.", 415);
    }
    const meaning = meaningOf(event, parseJson(body), board, roadmap.backlog());
    if (meaning === undefined) return malformed("The body is not a JSON object.");
    if (meaning !== "change") return done(meaning, meaning === "ping" ? 200 : 202);
    try {
      // A repeated body is a replay, whatever its delivery says: the signature does not cover headers.
      const ids = [delivery.toLowerCase(), signature.toString("hex")];
      const noted = await within(announceLimitMs, announce(ids));
      if (noted === "repeated") return done("repeated", 202);
    } catch (error) {
      const response = problemResponse(503, "The change could not be noted. Deliver it again later.");
      return { result: "unavailable", response, why: describeError(error) };
    }
    log.info({ event, delivery }, "a webhook announces a change of the board");
    return done("accepted", 202);
  }

  function note(client: string, { result, why }: Ending): void {
    metrics.webhookEnded(result);
    if (isServed.has(result)) return;
    if (isUnverified.has(result)) refusals.take(client);
    refused++;
    log.debug({ result, client, why }, "a webhook was refused");
    if (clock.monotonicMs() - reportedMs < reportEveryMs) return;
    reportedMs = clock.monotonicMs();
    log.warn({ refused, result, client, why }, "webhooks are refused");
    refused = 0;
  }

  return {
    prepare: async (signal) => void (await currentSecret(signal)),
    async respond(request, client, invite) {
      const ending = await receive(request, client, invite);
      note(client, ending);
      const { response } = ending;
      if (response === undefined || !hasUnreadBody(request)) return response;
      if (request.headers.expect === undefined) await discardBody(request);
      // The rest of the body is not read, so the connection cannot be reused.
      return { ...response, headers: ["Connection", "close", ...(response.headers ?? [])] };
    },
  };
}

const isServed: ReadonlySet<WebhookResult> = new Set(["accepted", "repeated", "ignored", "ping"]);
const isUnverified: ReadonlySet<WebhookResult> = new Set(["unsigned", "too-large", "late", "aborted"]);
const noStore: RawHeaders = ["Cache-Control", "no-store"];

/** GitHub shows the body among the recent deliveries. */
function done(result: WebhookResult, status: number): Ending {
  const body = JSON.stringify({ result });
  return { result, response: { status, headers: noStore, contentType: "application/json", body } };
}

/** The same response to every client that cannot sign. */
function unsigned(why: string): Ending {
  const headers = ["WWW-Authenticate", "X-Hub-Signature-256"];
  return { result: "unsigned", response: problemResponse(401, undefined, headers), why };
}

function malformed(detail: string, status = 400): Ending {
  return { result: "malformed", response: problemResponse(status, detail), why: detail };
}

function unread(kind: Exclude<BodyOutcome["kind"], "read"> | "no-memory"): Ending {
  switch (kind) {
    case "too-large":
      return { result: kind, response: problemResponse(413, `The limit is ${bodyBounds.maxBytes} bytes.`) };
    case "late":
      return { result: kind, response: problemResponse(408, "The body did not arrive in time.") };
    case "no-memory":
      return { result: "unavailable", response: problemResponse(503, undefined, ["Retry-After", "1"]) };
    case "aborted":
    case "unreadable":
      return { result: "aborted", response: undefined };
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** @throws when the work takes longer; it continues nevertheless */
async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("Redis did not respond in time")), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
