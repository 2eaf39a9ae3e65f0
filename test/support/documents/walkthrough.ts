import { readFileSync } from "node:fs";

export const root = new URL("../../../", import.meta.url);
export const walkthrough = readFileSync(new URL("docs/walkthrough.md", root), "utf8");

/** The stops of docs/walkthrough.md: a file, and the class, function or method in it. */
export const stops = [...walkthrough.matchAll(/^\d+\. `(src\/[^`]+)` `(\w+)`/gm)].map(
  ([, file = "", name = ""]) => ({ file, name }),
);
