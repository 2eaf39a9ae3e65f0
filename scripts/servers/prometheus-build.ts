import { programOutput } from "./program-output.ts";

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
  return buildOfHelp(await programOutput("prometheus", ["--help"], signal));
}

export function buildOfHelp(help: string): PrometheusBuild {
  const hasAgentFlag = /^\s*--(?:\[no-\])?agent\s/m.test(help);
  return { hasAgentFlag, hasXor2: /\bxor2-encoding\b/.test(help), major: hasAgentFlag ? 3 : 2 };
}
