import { programOutput } from "./program-output.ts";

/** Relevant differences between builds of VictoriaMetrics. */
export interface VictoriaMetricsBuild {
  /** Knows the MetricsQL of 2026; Debian's is of 2022. */
  readonly isNewer: boolean;
}

/** The build used by tests and benchmarks. */
export async function victoriaMetricsBuild(): Promise<VictoriaMetricsBuild> {
  return buildOfVersion(await programOutput("victoria-metrics", ["--version"]));
}

/** @param version `victoria-metrics-20260721-…-tags-v1.150.0-0-g0123456`; Debian's build prints none */
export function buildOfVersion(version: string): VictoriaMetricsBuild {
  const minor = /\bv1\.(\d+)\./.exec(version)?.[1];
  return { isNewer: minor !== undefined && Number(minor) >= 150 };
}
