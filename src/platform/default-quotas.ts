import type { Quotas } from "../kube-server/store/usage.ts";

/** Resources that are counted besides the objects and their bytes. The last four are those of all Instances. */
export const countedResources = [
  "projects",
  "policies",
  "sinks",
  "instances",
  "cpu",
  "memoryBytes",
  "diskBytes",
] as const;

/** Quotas of a configuration without any. */
export const defaultQuotas: Quotas = {
  organization: {
    objects: 50_000,
    bytes: 512 * 2 ** 20,
    projects: 1_000,
    policies: 10_000,
    sinks: 20_000,
    instances: 5_000,
    cpu: 10_000,
    memoryBytes: 40_000 * 2 ** 30,
    diskBytes: 200_000 * 2 ** 30,
  },
  project: {
    objects: 10_000,
    bytes: 128 * 2 ** 20,
    policies: 1_000,
    sinks: 2_000,
    instances: 1_000,
    cpu: 2_000,
    memoryBytes: 8_000 * 2 ** 30,
    diskBytes: 40_000 * 2 ** 30,
  },
};
