import { existsSync, readFileSync } from "node:fs";

/** The version from the nearest package.json above this file: sources and build have different depths. */
export const version: string = readVersion();

function readVersion(): string {
  let file = new URL("package.json", import.meta.url);
  while (!existsSync(file) && file.pathname !== "/package.json") file = new URL("../package.json", file);
  const { version: found } = JSON.parse(readFileSync(file, "utf8")) as { version: string };
  return found;
}
