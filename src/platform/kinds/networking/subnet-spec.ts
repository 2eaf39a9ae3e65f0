import ipaddr from "ipaddr.js";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import {
  choiceField,
  integerField,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import type { FieldError } from "../../../kube-server/api/status.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import {
  checkImmutableSpec,
  checkReference,
  fullReference,
  keysOf,
  localReference,
  type NamespacedName,
  referent,
} from "../references.ts";
import { networkContextNames } from "./resource-names.ts";

/** Fields that SubnetClaim and Subnet share. */
const sharedFields: Readonly<Record<string, Schema>> = {
  subnetClass: { type: "string", description: "Class of the subnet, such as private.", minLength: 1 },
  networkContext: localReference("The network at a location that the subnet is part of.", "NetworkContext"),
  location: fullReference("The location of the subnet.", "Location"),
  ipFamily: choiceField("Family of the addresses.", ["IPv4", "IPv6"]),
};

/** A block of addresses, as fields of a spec or a status. */
export const blockFields: Readonly<Record<string, Schema>> = {
  startAddress: textField("First address of the block."),
  prefixLength: integerField("int32", "Length of the prefix that the addresses share, in bits."),
};

/** What the server assigns to a Subnet. */
export function assignedBlock(status: Json | undefined): Json {
  return Object.keys(blockFields).map((field) => fieldAt(status, [field]) ?? null);
}

/** @param required fields of the block that must be there */
export function subnetSpec(description: string, required: readonly string[]): Schema {
  return objectField(description, [...Object.keys(sharedFields), ...required], {
    ...sharedFields,
    ...blockFields,
  });
}

/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255` */
const maxAddressLength = 45;

/** Rules of SubnetClaim and Subnet. */
export function subnetFaults(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const faults = new FaultList();
  checkReference(fieldAt(object, ["spec", "networkContext"]), "spec.networkContext", "subdomain", faults);
  checkReference(fieldAt(object, ["spec", "location"]), "spec.location", "subdomain", faults);
  checkBlock(object["spec"], faults);
  checkImmutableSpec(object, old, faults);
  return faults.errors;
}

function checkBlock(spec: Json | undefined, faults: FaultList): void {
  const family = fieldAt(spec, ["ipFamily"]);
  const start = fieldAt(spec, ["startAddress"]);
  const length = fieldAt(spec, ["prefixLength"]);
  const isAddress = (text: string) =>
    text.length <= maxAddressLength &&
    (family === "IPv4"
      ? ipaddr.IPv4.isValidFourPartDecimal(text)
      : ipaddr.IPv6.isValid(text) && !text.includes("%"));
  if (typeof start === "string" && !isAddress(start)) {
    faults.add(invalidValue("spec.startAddress", start, `must be an ${String(family)} address`));
  }
  const bits = family === "IPv4" ? 32 : 128;
  if (typeof length === "number" && (length < 1 || length > bits)) {
    faults.add(invalidValue("spec.prefixLength", length, `must be between 1 and ${bits}, inclusive`));
  }
}

/** The NetworkContext of a SubnetClaim or Subnet. */
export function contextOfSubnet(object: KubeObject): NamespacedName | undefined {
  const name = fieldAt(object, ["spec", "networkContext", "name"]);
  return referent({ name: name ?? null }, object.metadata.namespace);
}

export function subnetReferences(groupDomain: string, object: KubeObject): string[] {
  return keysOf([[networkContextNames(groupDomain), contextOfSubnet(object)]]);
}
