/**
 * `tsx scripts/servers/ensure.ts NAME...`: ensures that the named servers are installed and prints their
 * paths. Default: the servers that the tests and the demo need.
 */
import { describeError } from "../../src/base/core/errors.ts";
import { isServerName, type ServerName, serverNames } from "./catalogue.ts";
import { findServers } from "./find.ts";

const usual: readonly ServerName[] = [
  "victoria-metrics",
  "vmagent",
  "prometheus",
  "promtool",
  "redis-server",
  "haproxy",
];

async function main(args: readonly string[]): Promise<void> {
  const unknown = args.filter((arg) => !isServerName(arg));
  if (unknown.length > 0) {
    throw new Error(`unknown server ${unknown.join(", ")}; known are ${serverNames.join(", ")}`);
  }
  const names = args.length === 0 ? usual : args.filter(isServerName);
  const programs = await findServers(names, { onProgress: (message) => console.error(message) });
  for (const name of names) console.log(`${name}: ${programs[name].path}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(describeError(error));
  process.exitCode = 1;
});
