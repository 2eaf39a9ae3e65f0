import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");

/** A fenced block of a document, without its indentation in a list. */
export interface Snippet {
  /** `docs/fleet.md:12` */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** Every user document of the project, by path. */
export function userDocuments(): string[] {
  const folder = (path: string): string[] =>
    readdirSync(resolve(root, path), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${path}/${name}`);
  return ["README.md", "src/kube-server/README.md", ...folder("docs"), ...folder("config")];
}

export function snippetsOf(document: string): Snippet[] {
  const text = readFileSync(resolve(root, document), "utf8");
  return [...text.matchAll(/^([ ]*)```([a-z]+)\n(.*?)^\1```$/gms)].map((match) => {
    const [, indent = "", language = "", body = ""] = match;
    const line = text.slice(0, match.index).split("\n").length;
    return {
      place: `${document}:${line}`,
      language,
      text: body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    };
  });
}
