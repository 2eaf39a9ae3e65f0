import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { type Json, stringList } from "../../../kube-server/api/object.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import { type CidrBlock, type IpFamily, invalidCidr, overlap, parseCidr } from "./cidr.ts";

/** Prefix lengths that a network's ranges may have. */
const prefixLengths: Readonly<Record<IpFamily, readonly [min: number, max: number]>> = {
  IPv4: [8, 20],
  IPv6: [16, 64],
};

/** Checks the ranges of a network: blocks of one family without host bits or overlaps. */
export function checkIpRanges(
  ranges: Json | undefined,
  path: string,
  family: IpFamily,
  faults: FaultList,
): void {
  const blocks: { readonly text: string; readonly index: number; readonly block: CidrBlock }[] = [];
  for (const [index, text] of stringList(ranges).entries()) {
    const block = parseCidr(text);
    const fault = rangeFault(block, family);
    if (fault !== undefined) faults.add(invalidValue(`${path}[${index}]`, text, fault));
    else if (block !== undefined) blocks.push({ text, index, block });
  }
  for (const { text, index, block } of blocks) {
    // The schema allows few ranges.
    const other = blocks.find((each) => each.index < index && overlap(each.block, block));
    if (other === undefined) continue;
    const why = `must not overlap with ${JSON.stringify(other.text)}`;
    faults.add(invalidValue(`${path}[${index}]`, text, why));
  }
}

function rangeFault(block: CidrBlock | undefined, family: IpFamily): string | undefined {
  if (block === undefined) return invalidCidr;
  if (block.family !== family) return `must be an ${family} range`;
  if (block.hasHostBits) return `must have no bits set after the prefix of ${block.prefixLength} bits`;
  const [min, max] = prefixLengths[family];
  if (block.prefixLength >= min && block.prefixLength <= max) return undefined;
  return `must have a prefix length between ${min} and ${max}, inclusive`;
}
