import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findServers } from "./find.ts";

/** In what builds of Prometheus differ here. */
export interface PrometheusBuild {
  /** Agent mode has a flag of its own (3.0 and newer); before, it was a feature to be enabled. */
  readonly hasAgentFlag: boolean;
  /** It can store samples in XOR2 chunks. */
  readonly hasXor2: boolean;
  /** What its PromQL knows: that of 3.x or that of before. */
  readonly major: 2 | 3;
}

/** The build that tests, demo and benchmarks run; by its help, since a build need not have a version compiled in. */
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
