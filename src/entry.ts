#!/usr/bin/env node
import { readFileSync } from "node:fs";

/**
 * The built program's first file. It imports no other file until the version of Node.js is known: an older
 * one fails at the first name that it does not have, and reports an internal error.
 */

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  readonly engines: { readonly node: string };
};
const needed = engines.node.replace(">=", "");
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);

if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) void import("./cli.ts");
else {
  process.stderr.write(`telemetryd: needs Node ${needed} or newer; this is ${process.version}\n`);
  process.exitCode = 2;
}
