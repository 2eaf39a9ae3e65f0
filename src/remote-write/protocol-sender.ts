import type { Verdict } from "./classify.ts";
import { convertRequest } from "./convert-request.ts";
import type { EndpointState } from "./endpoint-state.ts";
import type { AttemptSender } from "./outcome.ts";
import type { EncodedRequest } from "./request.ts";

/**
 * Sends each request in the protocol that its endpoint speaks, and finds out which one that is: the row "protocol 2.0" of
 * the delivery table. An attempt that shows that 2.0 is not understood is made again as 1.0 at once: nothing of it
 * was delivered.
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
      const wantsOther = verdict.kind === "refused" && verdict.status === 415 && state.mayTryVersion2;
      if (!wantsOther) return verdict;
      state.tryVersion2();
    }
    if (state.proven) return this.#version2(request, signal);
    const verdict = await state.alone(() => {
      // Another request may have settled it while this one waited for its turn.
      if (state.protocol === "1.0") return this.#version1(request, signal);
      return this.#version2(request, signal);
    }, signal);
    return verdict ?? { kind: "aborted", answerLost: false };
  }

  async #version1(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const { request: converted, leftOut } = convertRequest(request, "1.0");
    const verdict = await this.#inner.attempt(converted, signal);
    if (verdict.kind !== "delivered" || leftOut === 0) return verdict;
    return { ...verdict, unwritten: leftOut };
  }

  async #version2(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const state = this.#state;
    const { request: converted } = convertRequest(request, "2.0");
    const verdict = await this.#inner.attempt(converted, signal);
    if (verdict.kind === "delivered" && verdict.written !== undefined) {
      state.prove();
      const unwritten = Math.max(0, converted.sampleCount - verdict.written);
      return unwritten === 0 ? verdict : { ...verdict, unwritten };
    }
    if (!isNotUnderstood(verdict, state.proven)) return verdict;
    state.settleAtVersion1();
    return this.#version1(request, signal);
  }
}

/**
 * A 2xx without the counts is what a receiver answers that took the body for an empty 1.0 message; a proven endpoint that
 * does so was replaced by an older one. A 400 says that only before the proof: afterwards it is about the payload.
 */
function isNotUnderstood(verdict: Verdict, proven: boolean): boolean {
  if (verdict.kind === "delivered") return true;
  if (verdict.kind !== "refused") return false;
  return verdict.status === 415 || (verdict.status === 400 && !proven);
}
