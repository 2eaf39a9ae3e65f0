import { z } from "zod";
import { parseSpan, spanSize } from "../../../base/net/address-span.ts";
import {
  addressRanges,
  choice,
  duration,
  flag,
  list,
  optionalText,
  requiredText,
  textMap,
} from "./fields.ts";
import { entriesAt, error, given, type Root, type RuleFault } from "./rules.ts";
import { imageFileProblem, machineAddressesProblem, registryProblem, socketPathProblem } from "./values.ts";

const role = requiredText("A role, such as compute.admin");
const instance = requiredText("name or namespace/name; * stands for any characters");

const faults = z
  .strictObject({
    missingRoles: list("Roles that the platform's service account lacks: locations are not ready", role, []),
    domainRestricted: flag("The cloud organization does not permit the platform's service accounts"),
    failInstances: list("Instances that cannot start", instance, []),
    hang: list("Instances that stay in Provisioning", instance, []),
  })
  .meta({ description: "What goes wrong, always the same" });

const knownRegistries = [
  ...["docker.io", "ghcr.io", "quay.io", "registry.k8s.io", "gcr.io", "public.ecr.aws"],
  ...["mcr.microsoft.com", "registry.gitlab.com"],
];

const engine = z
  .strictObject({
    socket: requiredText("Unix socket of the Docker Engine API", socketPathProblem).prefault(
      "/run/podman/podman.sock",
    ),
    pull: choice(
      "When images are pulled; missing: if the engine has none of the name",
      ["missing", "always", "never"],
      "missing",
    ),
    registries: list(
      "Registries that images are pulled from; names without a registry are of the first",
      requiredText("A host, with the port if there is one", registryProblem),
      knownRegistries,
    ),
    ranges: addressRanges("Blocks in which networks may be; keep them free of everything else", [
      "10.128.0.0/9",
      "fd20::/20",
    ]),
    firewall: choice(
      "What keeps networks apart; none: only the engine does, and one tenant owns the machine",
      ["nftables", "none"],
      "nftables",
    ),
    egress: addressRanges("Ranges that are not public and that instances reach; egress.deny wins", []),
    externalAddresses: list(
      "Addresses, blocks and ranges of this machine on which open ports can be reached, at most 4096; none: nowhere outside",
      requiredText("An address, a block, or first-last", machineAddressesProblem),
      [],
    ),
    vmRunnerImage: optionalText(
      "Image of the containers in which virtual machines run (QEMU, passt); none: they are refused",
    ),
    vmImages: textMap(
      "Images that disks of virtual machines begin with: name to qcow2 or raw file, as the engine sees it",
      (_, file) => imageFileProblem(file),
    ),
    vmBootTimeout: duration("A guest that has no address by then is started again", "5m", {
      min: "10s",
      max: "1h",
    }),
  })
  .meta({ description: "With kind: engine" });

export const provider = z
  .strictObject({
    kind: z.enum(["engine", "emulated"]).meta({
      description:
        "What instances run on; engine: Docker or Podman; emulated: nothing runs, for clients, teaching and tests",
    }),
    cloudProjectId: requiredText(
      "Serves the platform-managed Locations whose spec.provider.cloudA.projectId this is",
    ),
    zones: list("Only these zones of it; none: all", requiredText("A zone"), []),
    engine: engine.prefault({}),
    emulated: z
      .strictObject({
        step: duration("How long an instance is provisioned, and then staged", "2s", {
          min: "0s",
          max: "1h",
        }),
        faults: faults.prefault({}),
      })
      .meta({ description: "With kind: emulated" })
      .prefault({}),
  })
  .meta({ description: "Runs the instances of the control planes that controlPlane names" });

export function providerRules(root: Root): RuleFault[] {
  if (!given(root, ["provider"])) return [];
  const faults = externalAddressFaults(root);
  if (given(root, ["controlPlane"])) return faults;
  const message =
    "needs the section controlPlane: the control planes whose instances it runs (apiUrl, organization, accessTokenFile)";
  return [...faults, error(["provider"], message)];
}

const maxExternalAddresses = 4_096n;

function externalAddressFaults(root: Root): RuleFault[] {
  const path = ["provider", "engine", "externalAddresses"];
  const spans = entriesAt(root, path).flatMap((entry) => parseSpan(String(entry)) ?? []);
  const count = spans.reduce((sum, span) => sum + spanSize(span), 0n);
  if (count <= maxExternalAddresses) return [];
  return [error(path, `has ${count} addresses and can have ${maxExternalAddresses}: give smaller ranges`)];
}
