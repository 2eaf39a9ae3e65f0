import { convertRequest } from "../encoding/convert-request.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify-response.ts";
import type { AttemptSender } from "./outcome.ts";

/**
 * Sends each request in its endpoint's protocol, and detects that protocol: the row "protocol 2.0" of the
 * delivery table. If an attempt shows that the receiver does not support 2.0, it is repeated as 1.0 at once:
 * nothing of it was delivered.
 */
export class ProtocolSender implements AttemptSender {
  readonly #inner: AttemptSender;
  readonly #state: EndpointState;

  constructor(inner: AttemptSender, state: EndpointState) {
    this.#inner = inner;
    this.#state = state;
  }

  async attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const state = this.#state;
    if (state.protocol === "1.0") {
      const verdict = await this.#version1(request, signal);
      const wantsOther = verdict.kind === "rejected" && verdict.status === 415 && state.mayTryVersion2;
      if (!wantsOther) return verdict;
      state.tryVersion2();
    }
    if (state.proven) return this.#version2(request, signal);
    const verdict = await state.alone(() => {
      // Another request may have determined the protocol while this one waited for its turn.
      if (state.protocol === "1.0") return this.#version1(request, signal);
      return this.#version2(request, signal);
    }, signal);
    return verdict ?? { kind: "aborted", responseLost: false };
  }

  async #version1(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const { request: converted, leftOut } = convertRequest(request, "1.0");
    const verdict = await this.#inner.attempt(converted, signal);
    if (verdict.kind === "rejected") return withoutCounts(verdict);
    if (verdict.kind !== "delivered" || leftOut === 0) return verdict;
    return { ...verdict, unwritten: leftOut };
  }

  async #version2(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const state = this.#state;
    const { request: converted } = convertRequest(request, "2.0");
    const verdict = await this.#inner.attempt(converted, signal);
    if (isCounted(verdict)) {
      state.prove();
      return verdict.kind === "rejected"
        ? rejectedInPart(verdict, converted.sampleCount)
        : deliveredInPart(verdict, converted.sampleCount);
    }
    if (!isNotUnderstood(verdict, state.proven)) return verdict;
    state.keepVersion1();
    return this.#version1(request, signal);
  }
}

type Delivered = Verdict & { readonly kind: "delivered" };
type Rejected = Verdict & { readonly kind: "rejected" };

/** Whether the response to a 2.0 request reports the written samples, which proves support for 2.0. */
function isCounted(verdict: Verdict): verdict is (Delivered | Rejected) & { readonly written: number } {
  if (verdict.kind === "delivered") return verdict.written !== undefined;
  return verdict.kind === "rejected" && verdict.status !== 415 && verdict.written !== undefined;
}

function deliveredInPart(verdict: Delivered & { readonly written: number }, sampleCount: number): Verdict {
  const unwritten = Math.max(0, sampleCount - verdict.written);
  return unwritten === 0 ? verdict : { ...verdict, unwritten };
}

/** By the 2.0 specification a receiver may write the good samples of a rejected request ("Partial Write"). */
function rejectedInPart(verdict: Rejected & { readonly written: number }, sampleCount: number): Verdict {
  const written = Math.min(verdict.written, sampleCount);
  return written === 0 ? withoutCounts(verdict) : { ...verdict, written };
}

function withoutCounts({ kind, status, message }: Rejected): Verdict {
  return { kind, status, message };
}

/**
 * A 2xx without the counts comes from a receiver that read the body as an empty 1.0 message; if the endpoint
 * was proven, it was replaced by an older one. A 400 has this meaning only before the proof: afterwards it is
 * about the payload.
 */
function isNotUnderstood(verdict: Verdict, proven: boolean): boolean {
  if (verdict.kind === "delivered") return true;
  if (verdict.kind !== "rejected") return false;
  return verdict.status === 415 || (verdict.status === 400 && !proven);
}
