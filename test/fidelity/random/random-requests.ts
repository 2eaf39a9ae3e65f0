import { describeError } from "../../../src/base/core/errors.ts";
import { seededRandom } from "../../support/random.ts";
import type { ApiResponse, SendRequest } from "../replay.ts";
import { names } from "./choices.ts";
import { knownDifference } from "./known-differences.ts";
import { type RandomRequest, randomSequence } from "./random-request.ts";
import { type Difference, documentOf, hasOtherWords, responseDifferences } from "./response-differences.ts";

export interface Comparison {
  readonly request: RandomRequest;
  readonly ours: ApiResponse;
  readonly theirs: ApiResponse;
  readonly differences: readonly Difference[];
  /** The name of the documented difference that explains these. */
  readonly known?: string | undefined;
}

export interface RequestReport {
  readonly compared: number;
  readonly otherWords: readonly Comparison[];
  /** Those with differences. */
  readonly different: readonly Comparison[];
}

const requestsInSequence = 20;
const sequencesAtOnce = 8;

/**
 * Sends sequences of random requests to both servers, each in a namespace of its own.
 *
 * A sequence ends where the servers' objects may differ from then on: only the first difference has a cause.
 */
export async function compareRandomRequests(
  platform: SendRequest,
  oracle: SendRequest,
  count: number,
  seed: number,
): Promise<RequestReport> {
  let compared = 0;
  let next = 0;
  const different: Comparison[] = [];
  const otherWords: Comparison[] = [];
  const work = async (): Promise<void> => {
    while (compared < count) {
      const index = next++;
      const namespace = `random-${index}`;
      await createNamespace(platform, namespace);
      const [ours, theirs] = [memory(namespace), memory(namespace)];
      for (const request of randomSequence(seededRandom(seed + index), requestsInSequence)) {
        const [our, their] = await Promise.all([
          sendFilled(platform, request, ours),
          sendFilled(oracle, request, theirs),
        ]);
        compared++;
        const differences = responseDifferences(our, their);
        const comparison = { request, ours: our, theirs: their, differences };
        // Ours has a collector of garbage, which goes on by itself.
        if (our.code < 300 && request.method === "DELETE" && /dryRun=/.test(request.path)) break;
        if (our.code < 300 && /orphan|foreground|ownerRef/i.test(`${request.what}${request.path}`)) break;
        if (differences.length === 0) {
          if (hasOtherWords(our, their)) otherWords.push(comparison);
          continue;
        }
        different.push({ ...comparison, known: knownDifference(comparison) });
        if (request.method !== "GET" && (our.code < 300 || their.code < 300)) break;
      }
    }
  };
  await Promise.all(Array.from({ length: sequencesAtOnce }, work));
  return { compared, different, otherWords };
}

async function createNamespace(platform: SendRequest, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const { code, text } = await platform({ method: "POST", path: "/api/v1/namespaces", body });
  if (code !== 201) throw new Error(`namespace ${name}: ${code} ${text}`);
}

/** What a server has responded. */
interface Memory {
  readonly namespace: string;
  readonly versions: Map<string, string[]>;
  readonly uids: Map<string, string>;
  continue: string;
  list: string;
}

function memory(namespace: string): Memory {
  return { namespace, versions: new Map(), uids: new Map(), continue: "none", list: "1" };
}

async function sendFilled(send: SendRequest, request: RandomRequest, known: Memory): Promise<ApiResponse> {
  const { method, path, headers, body } = request;
  const response = await send({
    method: method as "GET",
    path: filled(path, known),
    headers,
    ...(body === undefined ? {} : { body: filled(body, known) }),
  }).catch((error: unknown) => ({ code: 0, headers: {}, json: undefined, text: describeError(error) }));
  remember(response, known);
  return response;
}

function filled(text: string, known: Memory): string {
  return text.replaceAll(/\$(ns|rv:\w|old:\w|uid:\w|continue|list)/g, (_, word: string) => {
    const [what, name = ""] = word.split(":");
    if (what === "ns") return known.namespace;
    if (what === "rv") return known.versions.get(name)?.at(-1) ?? "1";
    if (what === "old") return known.versions.get(name)?.at(-2) ?? "1";
    if (what === "uid") return known.uids.get(name) ?? "none";
    return what === "list" ? known.list : known.continue;
  });
}

function remember(response: ApiResponse, known: Memory): void {
  const document = documentOf(response);
  if (typeof document !== "object" || document === null || response.code >= 300) return;
  const { kind, metadata } = document as { kind?: string; metadata?: Record<string, string> };
  const { name = "", uid = "", resourceVersion = "" } = metadata ?? {};
  if (kind?.endsWith("List") && metadata !== undefined) {
    if (metadata["continue"]) known.continue = metadata["continue"];
    if (resourceVersion !== "") known.list = resourceVersion;
  }
  if (kind !== "ExportPolicy" || !names.some((each) => each === name) || resourceVersion === "") return;
  const versions = known.versions.get(name) ?? [];
  if (versions.at(-1) !== resourceVersion) versions.push(resourceVersion);
  known.versions.set(name, versions);
  known.uids.set(name, uid);
}
