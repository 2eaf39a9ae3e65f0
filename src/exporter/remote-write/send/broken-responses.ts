import type { EndpointState } from "../endpoint/endpoint-state.ts";
import type { Verdict } from "../transport/classify-response.ts";
import type { AttemptSender } from "./outcome.ts";

/** So many responses in a row that break HTTP suspend the sink. */
const mostBroken = 5;

/**
 * Suspends the sink of a receiver whose responses break HTTP again and again: it may have stored each of the
 * requests, and would store every repetition.
 */
export function suspendingWhenBroken(inner: AttemptSender, state: EndpointState): AttemptSender {
  return {
    async attempt(request, signal) {
      const verdict = await inner.attempt(request, signal);
      if (verdict.kind === "retry" && verdict.reason === "invalid_answer" && verdict.responseLost) {
        return state.brokenResponse() < mostBroken ? verdict : suspended(verdict);
      }
      if ("status" in verdict && verdict.status !== undefined) state.readableResponse();
      return verdict;
    },
  };
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
