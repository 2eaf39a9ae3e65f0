import fc from "fast-check";
import { expect, test } from "vitest";
import { html, trustedHtml } from "./html.ts";

test("text is escaped, markup is not, lists are joined, absent parts are nothing", () => {
  const items = ["<b>", "&"].map((text) => html`<li>${text}</li>`);
  expect(html`<ul title="${'"x"'}">${items}${undefined}${false}${7}${trustedHtml("<hr>")}</ul>`.markup).toBe(
    '<ul title="&quot;x&quot;"><li>&lt;b&gt;</li><li>&amp;</li>7<hr></ul>',
  );
});

test("no text can open a tag or end an attribute", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(html`${text}`.markup).not.toMatch(/[<>"']/);
    }),
  );
});
