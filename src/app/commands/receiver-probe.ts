import { redact } from "../../base/log/redact.ts";
import type { Destination } from "../../exporter/remote-write/destination.ts";
import { writeBody } from "../../exporter/remote-write/encoding/request-body.ts";

export interface ProbeResult {
  readonly accepted: boolean;
  readonly message: string;
}

/** One attempt at a request without samples, through the egress guard and with the sink's credentials. */
export async function probeReceiver(
  { sender, state }: Pick<Destination, "sender" | "state">,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const outcome = await sender.send(writeBody(state.protocol, []), signal, 1);
  signal.throwIfAborted();
  if (outcome.kind === "delivered") return { accepted: true, message: `HTTP ${outcome.status}` };
  if (outcome.kind === "aborted") return { accepted: false, message: "interrupted" };
  return { accepted: false, message: redact(("detail" in outcome && outcome.detail) || outcome.message) };
}
