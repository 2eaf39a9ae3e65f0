import type { EncodedRequest } from "../encoding/request.ts";
import type { Outcome, Refusal, Unfinished } from "./outcome.ts";
import type { SearchPart } from "./undecided-samples.ts";

/** What the search has found out, in order. */
export type SearchStep =
  | { readonly kind: "accepted"; readonly part: SearchPart }
  /** Not decided yet, while a later sample of the same series is accepted: that is the next step. */
  | { readonly kind: "overtaken"; readonly part: SearchPart }
  /** The receiver limits its rate, and the policy does not repeat such a request: it was dropped. */
  | { readonly kind: "limited"; readonly part: SearchPart; readonly refusal: Refusal }
  /** Refused alone after the endpoint was proven; or, if `isPassed`, by the rule for data that is too old. */
  | {
      readonly kind: "rejected";
      readonly part: SearchPart;
      readonly refusal: Refusal;
      readonly isPassed: boolean;
    };

export interface SearchEnd {
  /**
   * `complete`: every sample was accepted, rejected or dropped. `unproven`: the receiver has accepted
   * nothing, so nothing is rejected. `paused`: the search continues with what is left. Otherwise an outcome
   * cut it short.
   */
  readonly kind: "complete" | "unproven" | "paused" | "unfinished";
  readonly unfinished?: Unfinished | undefined;
  /**
   * Unless it is complete: the samples whose response was lost, and those that are before a decided one of
   * their series. They are in doubt until they are sent again.
   */
  readonly inDoubt?: SearchPart["series"] | undefined;
  /**
   * All of the request was accepted in parts: the size of the largest one. If nothing was refused after the
   * first part was accepted, the receiver may have refused everything until then.
   */
  readonly acceptedSize?:
    | { readonly bytes: number; readonly samples: number; readonly isSure: boolean }
    | undefined;
}

export interface SearchDeps {
  readonly send: (request: EncodedRequest) => Promise<Outcome>;
  /** Waits for the turn of a request. @returns false when the search has to pause */
  readonly pace: () => Promise<boolean>;
  /** An accepted request does not count towards the pace. */
  readonly paceAccepted: () => void;
  /** The endpoint has accepted something since the refusal began. */
  readonly isProven: boolean;
  /** The proof is newer than everything in the request, or its samples were sent before without a response. */
  readonly mayPass: boolean;
  /** A failed request counts as refused. */
  readonly isFailing: boolean;
  /**
   * For samples that make the receiver fail: whether something was accepted since the sample first failed
   * alone, which the call notes. If set, a sample is rejected only if it fails alone after that, too: a
   * receiver that is down for a while fails at all of them.
   */
  readonly failedAlone?: ((part: SearchPart) => boolean) | undefined;
  /**
   * A request of one refused sample with names that are legal in 1.0, where its own are not and that was not
   * tried yet. If it is accepted, the names were the reason.
   */
  readonly withLegalNames?: (request: EncodedRequest) => EncodedRequest | undefined;
  /** Such a request was accepted. */
  readonly learnLegalNames?: () => void;
  /** Different in each search of the same request: the first samples that are tried alone. */
  readonly turn: number;
}
