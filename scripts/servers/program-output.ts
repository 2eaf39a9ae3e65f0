import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ServerName } from "./catalogue.ts";
import { findServers } from "./find.ts";

/** What a server's program prints on both outputs and ends, as with `--version`. @throws if it fails */
export async function programOutput(
  name: ServerName,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string> {
  const options = signal === undefined ? {} : { signal };
  const { [name]: program } = await findServers([name], options);
  const env = { ...process.env, ...program.env };
  const { stdout, stderr } = await promisify(execFile)(program.path, args, { ...options, env });
  return stdout + stderr;
}
