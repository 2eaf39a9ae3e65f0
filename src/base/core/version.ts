import { readFileSync } from "node:fs";

/** The program's version, from its package.json: two folders up, in the sources and in the build (dist/chunks) alike. */
export const version: string = readVersion();

function readVersion(): string {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  const { version: found } = JSON.parse(text) as { version: string };
  return found;
}
