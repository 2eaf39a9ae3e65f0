import type { EncodedRequest } from "../encoding/request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify.ts";
import type { AttemptSender } from "./outcome.ts";

/** So many responses in a row that break HTTP suspend the sink. */
const mostBroken = 5;

/**
 * Suspends the sink of a receiver whose responses break HTTP again and again: it may have stored each of the
 * requests, and would store every repetition.
 */
export class BrokenResponseSender implements AttemptSender {
  readonly #inner: AttemptSender;
  readonly #state: EndpointState;

  constructor(inner: AttemptSender, state: EndpointState) {
    this.#inner = inner;
    this.#state = state;
  }

  async attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict> {
    const verdict = await this.#inner.attempt(request, signal);
    if (verdict.kind === "retry" && verdict.reason === "invalid_answer" && verdict.responseLost) {
      return this.#state.brokenResponse() < mostBroken ? verdict : suspended(verdict);
    }
    if ("status" in verdict && verdict.status !== undefined) this.#state.readableResponse();
    return verdict;
  }
}

function suspended({ message, detail }: Verdict & { readonly kind: "retry" }): Verdict {
  const end = `; so were the last ${mostBroken}, and it may have stored each of their requests`;
  return {
    kind: "suspended",
    status: undefined,
    message: message + end,
    detail: detail && detail + end,
    responseLost: true,
  };
}
