import { execFile } from "node:child_process";
import { access, constants, stat, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { formatByteSize } from "../../../base/core/byte-size.ts";
import { describeError, errnoCode, TelemetrydError } from "../../../base/core/errors.ts";
import { daemonFolders, findProgram } from "../../../base/core/program-file.ts";
import { formatListenAddress, type ListenAddress } from "../../../base/net/listen-address.ts";
import { checkDirectoryFormat } from "../../../exporter/delivery/state/directory-format.ts";
import { lockDirectory } from "../../../exporter/delivery/state/directory-lock.ts";
import { type Finding, failed, ok, warning } from "./findings.ts";

const programLimitMs = 5_000;

/** The state directory, and whether a telemetryd uses it now. */
export async function checkState(
  directory: string,
  neededBytes: number,
): Promise<{ readonly finding: Finding; readonly isInUse: boolean }> {
  const check = "state.directory";
  const free = async (path: string): Promise<number> => {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  };
  const withSpace = (detail: string, bytes: number): Finding => {
    const text = `${detail}; ${formatByteSize(bytes)} free`;
    if (bytes >= neededBytes) return ok(check, text);
    return warning(
      check,
      text,
      `its limits add up to ${formatByteSize(neededBytes)}: free space, or lower them`,
    );
  };
  try {
    if (!(await exists(directory))) {
      const parent = await existingParent(directory);
      await access(parent, constants.W_OK | constants.X_OK);
      return { finding: withSpace(`${directory} does not exist yet`, await free(parent)), isInUse: false };
    }
    await checkDirectoryFormat(directory);
    const lock = await lockDirectory(directory);
    await lock.release();
    return { finding: withSpace(`${directory} can be used`, await free(directory)), isInUse: false };
  } catch (error) {
    if (error instanceof TelemetrydError && error.code === "STATE_LOCKED") {
      return {
        finding: withSpace(`${directory} is in use by a telemetryd`, await free(directory)),
        isInUse: true,
      };
    }
    const remedy =
      "run this as the daemon's user; that user must own the directory, on a disk that can be written";
    return { finding: failed(check, `${directory}: ${describeError(error)}`, remedy), isInUse: false };
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: unknown) => {
      if (errnoCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}

async function existingParent(path: string): Promise<string> {
  let parent = dirname(resolve(path));
  while (!(await exists(parent))) parent = dirname(parent);
  return parent;
}

/** Whether an address can be listened at. */
export async function checkListen(key: string, { host, port }: ListenAddress): Promise<Finding> {
  const address = formatListenAddress({ host, port });
  const server = createServer();
  try {
    await new Promise<void>((done, reject) => {
      server.once("error", reject);
      server.listen({ port, ...(host === "" ? {} : { host }) }, done);
    });
    return ok(key, `${address} is free`);
  } catch (error) {
    return failed(
      key,
      `${address}: ${describeError(error)}`,
      "stop what listens there, or give another address",
    );
  } finally {
    server.close();
  }
}

/** A program that the configuration needs, and the first line of what it says of its version. */
export async function checkProgram(
  check: string,
  program: string,
  versionFlag: string,
  remedy: string,
): Promise<Finding> {
  const file = await findProgram(program, daemonFolders);
  if (file === undefined) return failed(check, `${program} is not installed`, remedy);
  const { error, output } = await new Promise<{ error: Error | null; output: string }>((done) => {
    execFile(file, [versionFlag], { timeout: programLimitMs }, (failure, stdout, stderr) =>
      done({ error: failure, output: stdout || stderr }),
    );
  });
  if (error !== null) return failed(check, `${file} ${versionFlag}: ${describeError(error)}`, remedy);
  return ok(check, `${file}: ${output.split("\n")[0]?.trim() ?? ""}`);
}
