import { createHmac, timingSafeEqual } from "node:crypto";

const form = /^sha256=([0-9a-f]{64})$/i;

/** The signature of an X-Hub-Signature-256 header, or undefined when the header has none. */
export function signatureOf(header: string | string[] | undefined): Buffer | undefined {
  const hex = typeof header === "string" ? form.exec(header)?.[1] : undefined;
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}

/**
 * Whether the signature is the body's. Takes the same time wherever the two differ.
 *
 * @param body the bytes as they arrived
 * @see https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export function isSigned(body: Buffer, signature: Buffer, secret: string): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
