import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json, JsonObject } from "../../../kube-server/api/object.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooManyItems,
} from "../../../kube-server/api/validate.ts";
import { invalidCidr, isStrictSubset, parseCidr } from "../networking/cidr.ts";
import { checkReference, type NamespacedName, referent } from "../references.ts";
import { checkPortName, checkPortNumber } from "./port-rules.ts";

/** Checks `networkInterfaces` of an instance. */
export function checkNetworkInterfaces(list: Json | undefined, path: string, faults: FaultList): void {
  const interfaces = objectsIn(list);
  if (interfaces.length === 0) {
    faults.add(requiredValue(path, "must define at least one network interface"));
  }
  const blocks = blockCount(interfaces);
  if (blocks > maxBlocks) {
    faults.add(tooManyItems(`${path}.networkPolicy.ingress.from`, blocks, maxBlocks));
    return;
  }
  for (const [index, each] of interfaces.entries()) {
    if (faults.isFull) return;
    checkReference(each["network"], `${path}[${index}].network`, "label", faults);
    const ingress = fieldAt(each, ["networkPolicy", "ingress"]);
    const pairs = Math.max(1, blockCount([each])) * portCount(ingress);
    if (pairs > maxPairs) {
      const message = `must have at most ${maxPairs} pairs of an address block and a port, and has ${pairs}`;
      faults.add(forbiddenValue(`${path}[${index}].networkPolicy.ingress`, message));
      return;
    }
    for (const [rule, { ports, from }] of objectsIn(ingress).entries()) {
      if (faults.isFull) return;
      const place = `${path}[${index}].networkPolicy.ingress[${rule}]`;
      checkPolicyPorts(ports, `${place}.ports`, faults);
      checkSources(from, `${place}.from`, faults);
    }
  }
}

/** Address blocks of all rules, exceptions included: parsing them takes time. */
const maxBlocks = 1_000;

/** Of the blocks and the ports of all rules of an interface: each may become an element of a firewall. */
const maxPairs = 2_000;

function portCount(ingress: Json | undefined): number {
  let count = 0;
  // A rule without ports is for all.
  for (const { ports } of objectsIn(ingress)) count += Math.max(1, Array.isArray(ports) ? ports.length : 0);
  return count;
}

function blockCount(interfaces: readonly JsonObject[]): number {
  let count = 0;
  for (const each of interfaces) {
    for (const { from } of objectsIn(fieldAt(each, ["networkPolicy", "ingress"]))) {
      for (const source of objectsIn(from)) {
        const except = fieldAt(source, ["ipBlock", "except"]);
        count += 1 + (Array.isArray(except) ? except.length : 0);
      }
    }
  }
  return count;
}

/** The networks of `networkInterfaces`. @param namespace of the object that they are in */
export function networksOfInterfaces(list: Json | undefined, namespace: string): NamespacedName[] {
  return objectsIn(list)
    .map(({ network }) => referent(network, namespace))
    .filter((network) => network !== undefined);
}

function checkPolicyPorts(list: Json | undefined, path: string, faults: FaultList): void {
  for (const [index, { port, endPort }] of objectsIn(list).entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    if (typeof port === "string") checkPortName(port, `${place}.port`, faults);
    else if (port !== undefined) checkPortNumber(port, `${place}.port`, faults);
    if (typeof endPort !== "number") continue;
    const fault = endPortFault(port, endPort);
    if (fault === undefined) checkPortNumber(endPort, `${place}.endPort`, faults);
    else faults.add(invalidValue(`${place}.endPort`, endPort, fault));
  }
}

function endPortFault(port: Json | undefined, endPort: number): string | undefined {
  if (port === undefined) return "may not be specified when `port` is not specified";
  if (typeof port !== "number") return "may not be specified when `port` is non-numeric";
  return endPort < port ? "must be greater than or equal to `port`" : undefined;
}

function checkSources(list: Json | undefined, path: string, faults: FaultList): void {
  for (const [index, { ipBlock }] of objectsIn(list).entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    if (ipBlock === undefined) faults.add(requiredValue(place, "must specify a peer"));
    else checkIpBlock(ipBlock, `${place}.ipBlock`, faults);
  }
}

function checkIpBlock(ipBlock: Json, path: string, faults: FaultList): void {
  const cidr = fieldAt(ipBlock, ["cidr"]);
  const outer = parseCidr(String(cidr));
  if (cidr === "") faults.add(requiredValue(`${path}.cidr`));
  else if (outer === undefined) faults.add(invalidValue(`${path}.cidr`, cidr ?? null, invalidCidr));
  const except = fieldAt(ipBlock, ["except"]);
  for (const [index, text] of (Array.isArray(except) ? except : []).entries()) {
    if (faults.isFull) return;
    const inner = parseCidr(String(text));
    const place = `${path}.except[${index}]`;
    if (inner === undefined) faults.add(invalidValue(place, text, invalidCidr));
    else if (outer !== undefined && !isStrictSubset(inner, outer)) {
      faults.add(invalidValue(place, text, "must be a strict subset of `cidr`"));
    }
  }
}
