import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { daemonFolders, findProgram } from "../../../base/core/program-file.ts";
import { HaproxyError } from "./command-socket.ts";

export const installHint =
  "haproxy is not installed. Install it (Debian, Ubuntu: apt-get install haproxy; Fedora: dnf install haproxy; macOS: brew install haproxy)";

/** The name itself if there is no such program: starting it says so. */
export async function pathOf(binary: string): Promise<string> {
  return (await findProgram(binary, daemonFolders)) ?? binary;
}

/** Why a program could not be started. */
export function startFault(error: Error, binary: string): Error {
  if (errnoCode(error) === "ENOENT") return new HaproxyError(installHint);
  return new HaproxyError(`${binary} cannot be run: ${describeError(error)}`, { cause: error });
}
