import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { isSigned, signatureOf } from "./webhook-signature.ts";

// The example of GitHub's documentation.
const secret = "It's a Secret to Everybody";
const body = Buffer.from("Hello, World!");
const signed = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

test.each([
  ["the documented one", `sha256=${signed}`, true],
  ["in capitals", `sha256=${signed.toUpperCase()}`, true],
  ["of another body", `sha256=${createHmac("sha256", secret).update("Hello").digest("hex")}`, false],
  ["by another secret", `sha256=${createHmac("sha256", "x").update(body).digest("hex")}`, false],
  ["zeros", `sha256=${"0".repeat(64)}`, false],
])("%s", (_name, header, expected) => {
  const signature = signatureOf(header);
  expect(signature && isSigned(body, signature, secret)).toBe(expected);
});

test.each([
  [undefined],
  [""],
  [signed],
  [`sha1=${signed.slice(0, 40)}`],
  [`sha256=${signed.slice(1)}`],
  [`sha256=${signed}0`],
  [`sha256=${signed}\n`],
  [`sha256=g${signed.slice(1)}`],
  [`sha256=${signed}, sha256=${signed}`],
  [[`sha256=${signed}`]],
])("%j is no signature", (header) => {
  expect(signatureOf(header)).toBeUndefined();
});

test("one byte of difference anywhere is another body", () => {
  const signature = signatureOf(`sha256=${signed}`)!;
  for (let at = 0; at < body.length; at++) {
    const other = Buffer.from(body);
    other[at]! ^= 1;
    expect(isSigned(other, signature, secret), String(at)).toBe(false);
  }
});
