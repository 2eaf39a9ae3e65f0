import { createHash } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { FollowedPlane } from "./followed-plane.ts";
import { objectPath } from "./object-writer.ts";

/** The object that an event is about. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Warning {
  /** One word, such as `NetworkPolicyNotEnforced`. */
  readonly reason: string;
  readonly message: string;
}

const component = "telemetryd-provider";
const maxTold = 10_000;
const maxMessageLength = 1_024;

/**
 * Warnings about objects (core/v1 Event). The name follows from what is said: an equal one is made once, also
 * by several instances of a deployment, for as long as the control plane keeps it.
 */
export class PlaneEvents {
  readonly #clock: Clock;
  /** Identities of warnings, oldest first. */
  readonly #told = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never fails for what the control plane says: an event is worth no failure. */
  async warn(
    plane: FollowedPlane,
    subject: Subject,
    { reason, message: whole }: Warning,
    signal: AbortSignal,
  ): Promise<void> {
    const message = whole.slice(0, maxMessageLength);
    const identity = createHash("sha256")
      .update(JSON.stringify([subject.uid, reason, message]))
      .digest("hex");
    if (this.#told.has(identity)) return;
    const name = `${subject.name.slice(0, 230)}.${identity.slice(0, 16)}`;
    const now = `${new Date(this.#clock.nowMs()).toISOString().slice(0, 19)}Z`;
    const body = {
      ...{ apiVersion: "v1", kind: "Event", metadata: { name } },
      involvedObject: { ...subject },
      ...{ type: "Warning", reason, message, count: 1, firstTimestamp: now, lastTimestamp: now },
      source: { component },
      reportingComponent: component,
    };
    const path = objectPath("/api/v1/events", subject.namespace);
    const made = await plane.client.send("POST", path, { body, contentType: "application/json" }, signal);
    if (made.outcome !== "ok" && !(made.outcome === "rejected" && made.code === 409)) return;
    this.#told.add(identity);
    for (const oldest of this.#told) {
      if (this.#told.size <= maxTold) break;
      this.#told.delete(oldest);
    }
  }
}
