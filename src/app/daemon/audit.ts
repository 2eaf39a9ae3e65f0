import { join } from "node:path";
import type { AuditSink } from "../../kube-server/http/audit.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";

/** The file of the audit log; undefined where it goes to standard output. */
export function auditFile({ platform, state }: Config): string | undefined {
  const file = platform?.audit.file ?? join(state.directory, "platform", "audit.log");
  return file === "-" ? undefined : file;
}

/** The audit log of the platform: a file of its own, or standard output. */
export async function openAudit({
  config,
  clock,
  log,
}: PartContext): Promise<(Part & { readonly write: AuditSink }) | undefined> {
  if (config.platform === undefined) return undefined;
  const { maxBytes, maxFiles } = config.platform.audit;
  const path = auditFile(config);
  // It stops after the servers, so that their last requests are written.
  const stage = "redis";
  if (path === undefined) {
    const write = (line: string): boolean => {
      process.stdout.write(line);
      return true;
    };
    return { stage, services: [], write };
  }
  const { RotatedFile } = await import("../../base/log/rotated-file.ts");
  const rotated = new RotatedFile({ path, maxBytes, maxFiles, clock, log });
  const problem = () => {
    const reason = rotated.problem();
    return (
      reason && `${reason}; requests are served without it, and events that find the queue full are lost`
    );
  };
  return {
    stage,
    services: [{ name: "audit", run: (signal) => rotated.run(signal) }],
    problems: { audit: problem },
    write: (line) => rotated.add(line),
  };
}
