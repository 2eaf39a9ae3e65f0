import { userInfo } from "node:os";
import { systemClock } from "../../../base/core/clock.ts";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import { version } from "../../../base/core/version.ts";
import { appendLine } from "../../../base/log/append-line.ts";
import { type MachineAction, machineAuditLine } from "../../../kube-server/http/machine-audit.ts";
import type { Config } from "../../config/schema.ts";
import { auditFile } from "../../daemon/audit.ts";

export interface AuditedAction extends MachineAction {
  /** Its words on the command line. */
  readonly command: string;
}

/** What a command's event says of its outcome: a status code of HTTP, and what is known only then. */
export interface AuditedOutcome {
  readonly code: number;
  readonly name?: string | undefined;
}

/**
 * Does what a command does to the platform without its API, and records it in the platform's audit log, also
 * when it is refused or fails. As with requests, a log that cannot be written does not prevent it.
 *
 * @param outcomeOf absent: code 200
 */
export async function audited<T>(
  config: Config,
  { command, ...action }: AuditedAction,
  work: () => Promise<T>,
  outcomeOf: (result: T) => AuditedOutcome = () => ({ code: 200 }),
): Promise<T> {
  const receivedMs = systemClock.nowMs();
  const record = async ({ code, name = action.name }: AuditedOutcome): Promise<void> => {
    // Without a platform, there is none of its logs, and no command succeeds.
    if (config.platform === undefined) return;
    const { groupDomain } = config.platform;
    const line = machineAuditLine(
      { ...action, name },
      {
        groupDomain,
        account: account(),
        sudoAccount: process.env["SUDO_USER"],
        userAgent: `telemetryd/${version} (${command})`,
        code,
        receivedMs,
        endedMs: systemClock.nowMs(),
      },
    );
    const file = auditFile(config);
    // Standard output is for what commands print.
    if (file === undefined) return void process.stderr.write(line);
    await appendLine(file, line).catch((error: unknown) => {
      process.stderr.write(`telemetryd: ${file}: the audit event was not written: ${describeError(error)}\n`);
    });
  };
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await record({ code: codeOf(error) });
    throw error;
  }
  await record(outcomeOf(result));
  return result;
}

/** Its number where it has no name, as in containers that run as any user. */
function account(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "");
  }
}

function codeOf(error: unknown): number {
  if (!(error instanceof TelemetrydError)) return 500;
  switch (error.code) {
    case "INVALID_ARGUMENT":
    case "FILE_UNREADABLE":
      return 400;
    case "REDIS_UNAVAILABLE":
      return 503;
    default:
      return 500;
  }
}
