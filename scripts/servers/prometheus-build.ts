import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findServers } from "./find.ts";

/** Relevant differences between builds of Prometheus. */
export interface PrometheusBuild {
  /** Agent mode has its own flag (3.0 and newer); before, it was a feature flag. */
  readonly hasAgentFlag: boolean;
  /** Supports XOR2 chunks. */
  readonly hasXor2: boolean;
  /** PromQL version: 3.x or earlier. */
  readonly major: 2 | 3;
}

/** The build used by tests, demo and benchmarks; detected from its help, since a build may lack a version. */
export async function prometheusBuild(signal?: AbortSignal): Promise<PrometheusBuild> {
  const { prometheus } = await findServers(["prometheus"], signal === undefined ? {} : { signal });
  const { stdout, stderr } = await promisify(execFile)(prometheus.path, ["--help"], {
    env: { ...process.env, ...prometheus.env },
    ...(signal === undefined ? {} : { signal }),
  });
  return buildOfHelp(stdout + stderr);
}

export function buildOfHelp(help: string): PrometheusBuild {
  const hasAgentFlag = /^\s*--(?:\[no-\])?agent\s/m.test(help);
  return { hasAgentFlag, hasXor2: /\bxor2-encoding\b/.test(help), major: hasAgentFlag ? 3 : 2 };
}
