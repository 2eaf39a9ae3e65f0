import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { childObject, sameJson } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  choiceField,
  integerField,
  listItem,
  mapList,
  objectField,
  type Schema,
  setList,
  textField,
} from "../../../kube-server/api/schema.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import { declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { checkIpRanges } from "./ip-ranges.ts";
import { networkContextKind, networkOfContext } from "./network-context.ts";
import { networkNames } from "./resource-names.ts";

/** Removed by the network controller once the network's contexts are gone. */
export function networkFinalizer(groupDomain: string): string {
  return `networking.${groupDomain}/network-controller`;
}

const maxRanges = 16;
const ranges = (family: string, fallback: string): Schema => ({
  ...atomicList({ type: "string" }, `${family} ranges of the network, in CIDR notation. ${fallback}`),
  maxItems: maxRanges,
});
const effectiveRanges = (family: string) =>
  atomicList({ type: "string" }, `${family} ranges that subnets are allocated from.`);

const spec: Schema = objectField("How addresses of the network are managed.", ["ipam"], {
  ipam: objectField(
    "Management of addresses. Cannot be changed while the network is used at a location.",
    ["mode"],
    {
      mode: choiceField("Auto: subnets are allocated as needed. Policy: no subnets are allocated.", [
        "Auto",
        "Policy",
      ]),
      ipv4Ranges: ranges("IPv4", "Defaults to 10.128.0.0/9."),
      ipv6Ranges: ranges("IPv6", "Defaults to a /48 of fd20::/20 that no other network has."),
    },
  ),
  ipFamilies: setList(
    { type: "string", enum: ["IPv4", "IPv6"] },
    "Families of the addresses that instances get.",
    { default: ["IPv4"], minItems: 1, maxItems: 2 },
  ),
  mtu: {
    ...integerField("int32", "Maximum transmission unit, in bytes."),
    default: 1460,
    minimum: 1300,
    maximum: 8856,
  },
});

const status = pendingStatus("What is known of the network.", ["Ready"], {
  ipam: objectField("Addresses in use.", [], {
    ipv4Ranges: effectiveRanges("IPv4"),
    ipv6Ranges: effectiveRanges("IPv6"),
    allocations: mapList(
      ["cidr"],
      listItem(["cidr", "claimUID"], {
        cidr: textField("The block, in CIDR notation."),
        claimUID: textField("UID of the SubnetClaim that holds the block."),
      }),
      "Blocks allocated to subnet claims.",
    ),
  }),
});

/** A virtual network, to which the interfaces of instances are attached. */
export function networkKind(groupDomain: string): KindDefinition {
  return {
    ...networkNames(groupDomain),
    ...declaredInProjects,
    schema: specAndStatus("Network is a virtual network that instances are attached to.", { spec, status }),
    columns: [
      ageColumn,
      ...statusColumns("Ready"),
      fieldColumn("IPAM", "How addresses are managed.", ["spec", "ipam", "mode"]),
      fieldColumn("IPFamilies", "Families of addresses.", ["spec", "ipFamilies"]),
      fieldColumn("MTU", "Maximum transmission unit, in bytes.", ["spec", "mtu"], "integer"),
    ],
    prepare: finalizedFromCreation(networkFinalizer(groupDomain)),
    serverFinalizers: [networkFinalizer(groupDomain)],
    validate(network) {
      const faults = new FaultList();
      const ipam = childObject(network["spec"], "ipam");
      checkIpRanges(ipam?.["ipv4Ranges"], "spec.ipam.ipv4Ranges", "IPv4", faults);
      checkIpRanges(ipam?.["ipv6Ranges"], "spec.ipam.ipv6Ranges", "IPv6", faults);
      return faults.errors;
    },
    async admit(network, old, reader) {
      const { namespace = "", name = "" } = network.metadata;
      const ipam = fieldAt(network, ["spec", "ipam"]);
      if (old === undefined || sameJson(ipam, fieldAt(old, ["spec", "ipam"]))) return [];
      for await (const context of reader.each(networkContextKind(groupDomain), namespace)) {
        if (networkOfContext(context)?.name !== name) continue;
        const why = "field is immutable while the network has NetworkContexts";
        return [invalidValue("spec.ipam", ipam ?? null, why)];
      }
      return [];
    },
  };
}
