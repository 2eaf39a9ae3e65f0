import { createHash } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import {
  type EventSubject,
  eventMessage,
  eventName,
  eventsPath,
  kubeEvent,
} from "../../client/events/kube-event.ts";
import type { FollowedPlane } from "./followed-plane.ts";

export interface Warning {
  /** One word, such as `NetworkPolicyNotEnforced`. */
  readonly reason: string;
  readonly message: string;
}

const component = "telemetryd-provider";
const maxReported = 10_000;

/**
 * Warnings about objects (core/v1 Event). The name follows from what is said: an equal one is made once, also
 * by several instances of a deployment, for as long as the control plane keeps it.
 */
export class PlaneEvents {
  readonly #clock: Clock;
  /** Identities of warnings, oldest first. */
  readonly #reported = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never fails for what the control plane says: an event is worth no failure. */
  async warn(
    plane: FollowedPlane,
    subject: EventSubject,
    { reason, message }: Warning,
    signal: AbortSignal,
  ): Promise<void> {
    const identity = createHash("sha256")
      .update(JSON.stringify([subject.uid, reason, eventMessage(message)]))
      .digest("hex");
    if (this.#reported.has(identity)) return;
    const nowMs = this.#clock.nowMs();
    const once = { count: 1, firstMs: nowMs, lastMs: nowMs };
    const report = { type: "Warning", reason, message } as const;
    const body = kubeEvent(eventName(subject, identity), subject, report, once, component);
    const made = await plane.client.send("POST", eventsPath(subject), { body }, signal);
    if (made.outcome !== "ok" && !(made.outcome === "rejected" && made.code === 409)) return;
    this.#reported.add(identity);
    for (const oldest of this.#reported) {
      if (this.#reported.size <= maxReported) break;
      this.#reported.delete(oldest);
    }
  }
}
