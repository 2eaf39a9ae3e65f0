import { z } from "zod";
import {
  byteSize,
  choice,
  duration,
  integer,
  list,
  listen,
  optionalFile,
  optionalWordOrNewFile,
  requiredText,
} from "./fields.ts";
import { cityCodeProblem, nameProblem } from "./values.ts";

const mostObjects = 10_000_000;
const quotaSize = (fallback: string) =>
  byteSize("Bytes of all objects", fallback, { min: "1MiB", max: "1024GiB" });

/** Of all Instances: what their types, disks and containers may use. */
const instanceQuotas = (instances: number, cpu: number, memory: string, disk: string) => ({
  instances: integer("Instances", instances, 0, mostObjects),
  cpu: integer("CPUs of all Instances", cpu, 0, mostObjects),
  memory: byteSize("Memory of all Instances", memory, { min: "0B", max: "1000000GiB" }),
  disk: byteSize("Disks and writable layers of all Instances", disk, { min: "0B", max: "1000000GiB" }),
});

const quotas = z
  .strictObject({
    organization: z
      .strictObject({
        objects: integer("Objects of any kind", 50_000, 1, mostObjects),
        size: quotaSize("512MiB"),
        projects: integer("Projects", 1_000, 0, mostObjects),
        policies: integer("ExportPolicies", 10_000, 0, mostObjects),
        sinks: integer("Sinks of all ExportPolicies", 20_000, 0, mostObjects),
        ...instanceQuotas(5_000, 10_000, "40000GiB", "200000GiB"),
      })
      .meta({ description: "All control planes of one organization together" })
      .prefault({}),
    project: z
      .strictObject({
        objects: integer("Objects of any kind", 10_000, 1, mostObjects),
        size: quotaSize("128MiB"),
        policies: integer("ExportPolicies", 1_000, 0, mostObjects),
        sinks: integer("Sinks of all ExportPolicies", 2_000, 0, mostObjects),
        ...instanceQuotas(1_000, 2_000, "8000GiB", "40000GiB"),
      })
      .meta({ description: "One project's control plane" })
      .prefault({}),
  })
  .meta({ description: "What a tenant may keep; what is there already stays" });

export const platform = z
  .strictObject({
    listen: listen("Address of the control planes (always TLS)", "127.0.0.1:8081"),
    groupDomain: requiredText("The API groups are <name>.<groupDomain>", nameProblem).prefault(
      "platformapis",
    ),
    cityCodes: list("City codes that Locations may have", requiredText("A city code", cityCodeProblem), [
      "DFW",
      "LHR",
      "DLS",
    ]),
    durability: choice("How often Redis syncs to disk", ["everysec", "always"], "everysec"),
    tls: z
      .strictObject({
        certFile: optionalFile("Certificate (PEM)"),
        keyFile: optionalFile("Its key (PEM)"),
      })
      .meta({ description: "Certificate; absent, a CA and a certificate are made under state.directory" })
      .prefault({}),
    projectNameRetention: duration(
      "How long a deleted project's name is reserved for its organization; at least as long as the store keeps samples",
      "744h",
      { min: "0s", max: "87600h" },
    ),
    quotas: quotas.prefault({}),
    audit: z
      .strictObject({
        file: optionalWordOrNewFile("The file, or - for standard output; absent, under state.directory", [
          "-",
        ]),
        maxSize: byteSize("Size at which the file is rotated", "100MiB", { min: "1MiB", max: "100GiB" }),
        maxFiles: integer("Files in all, rotated ones included", 5, 2, 1_000),
      })
      .meta({ description: "Audit log: who changed what, and who was refused" })
      .prefault({}),
    limits: z
      .strictObject({
        connections: integer("Connections, at most", 8_000, 10, 1_000_000),
        connectionsPerAddress: integer(
          "Connections of one IPv4 address or IPv6 /64; raise it behind a proxy",
          4_000,
          1,
          1_000_000,
        ),
        requestsPerSecondPerToken: integer(
          "Requests of one token in a second; 2.5 times as many after a pause",
          400,
          1,
          1_000_000,
        ),
        concurrentRequestsPerToken: integer("Requests of one token at once, besides watches", 100, 1, 10_000),
        watches: integer("Open watches, at most", 6_000, 1, 1_000_000),
        watchesPerToken: integer("Open watches of one token", 2_500, 1, 1_000_000),
      })
      .meta({ description: "What clients may do and hold at once, on one daemon" })
      .prefault({}),
  })
  .meta({ description: "The control planes themselves" });
