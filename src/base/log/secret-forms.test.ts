import fc from "fast-check";
import { expect, test } from "vitest";
import { LiveSecrets } from "./live-secrets.ts";
import type { SecretValue } from "./secret-forms.ts";

function maskOf(...values: SecretValue[]): (text: string) => string {
  const live = new LiveSecrets(() => 0);
  live.hold("test", values);
  return (text) => live.mask(text);
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const odd = 'p@ss "w<o>rd"/+\'ü&x=1\\';

test.each<[what: string, quoted: string]>([
  ["itself", odd],
  ["JSON", JSON.stringify(odd).slice(1, -1)],
  ["JSON by Go", 'p@ss \\"w\\u003co\\u003erd\\"/+\'ü\\u0026x=1\\\\'],
  ["HTML", "p@ss &quot;w&lt;o&gt;rd&quot;/+&#39;ü&amp;x=1\\"],
  ["HTML by Go", "p@ss &#34;w&lt;o&gt;rd&#34;/+&#39;ü&amp;x=1\\"],
  ["a part of an address", encodeURIComponent(odd)],
  ["a part of an address, in small letters", encodeURIComponent(odd).toLowerCase()],
  ["a form", new URLSearchParams({ a: odd }).toString().slice(2)],
  ["base64", base64(odd).replace(/=+$/, "")],
  ["base64 of URLs", Buffer.from(odd).toString("base64url")],
])("a password in %s", (_, quoted) => {
  expect(maskOf({ username: "user", password: odd })(`<${quoted}>`)).toBe("<***>");
});

test("the header of basic authentication, with a password of any length", () => {
  for (const password of [
    "p",
    "pw",
    "hunter22",
    "a password that is long enough to be remembered in pieces",
  ]) {
    const pair = base64(`user:${password}`);
    expect(maskOf({ username: "user", password })(`Basic ${pair}`)).toBe(
      `Basic ***${pair.replace(/[^=]/g, "")}`,
    );
  }
});

test("a secret within a longer text in base64, wherever it begins", () => {
  const mask = maskOf("a-token-of-some-length");
  for (const before of ["", "a", "ab", "abc", "Bearer "]) {
    const masked = mask(base64(`${before}a-token-of-some-length and more`));
    expect(masked).toContain("***");
    // At most the bits of one byte remain at either end.
    expect(Buffer.from(masked.replace(/^.*\*\*\*/, "").slice(1), "base64").toString()).not.toContain(
      "length",
    );
  }
});

test("whatever a secret is, no form of it is left", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 8, maxLength: 80 }), fc.string(), (secret, around) => {
      const mask = maskOf({ username: "u", password: secret });
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), base64(`u:${secret}`)]) {
        expect(mask(`${around}${form}${around}`)).toContain("***");
      }
    }),
  );
});
