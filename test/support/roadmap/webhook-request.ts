import { createHmac, randomUUID } from "node:crypto";

export const webhookPath = "/api/webhooks/board";

/** One webhook delivery, as GitHub sends it; `undefined` leaves a header out. */
export interface WebhookDelivery {
  readonly event?: string;
  readonly payload?: unknown;
  readonly secret: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent instead of the payload that was signed. */
  readonly body?: string;
}

export const boardEvent = {
  action: "edited",
  organization: { login: "acme" },
  projects_v2_item: { node_id: "PVTI_1", project_node_id: "PVT_1" },
  changes: { field_value: { field_name: "Status", project_number: 22 } },
};

/** The signature header of a body. */
export function signatureFor(body: string, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** The headers and the body of a delivery. Bodies differ unless a payload is given. */
export function webhookRequest({
  event = "projects_v2_item",
  payload,
  secret,
  headers,
  body,
}: WebhookDelivery) {
  const signed = JSON.stringify(payload ?? { ...boardEvent, at: randomUUID() });
  const all = {
    "content-type": "application/json",
    "user-agent": "GitHub-Hookshot/1234567",
    "x-github-event": event,
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": signatureFor(signed, secret),
    ...headers,
  };
  const given = Object.entries(all).filter((header): header is [string, string] => header[1] !== undefined);
  return { method: "POST", headers: Object.fromEntries(given), body: body ?? signed };
}

/** Sends a delivery to a website. */
export async function deliver(url: string, delivery: WebhookDelivery): Promise<Response> {
  return await fetch(url + webhookPath, webhookRequest(delivery));
}
