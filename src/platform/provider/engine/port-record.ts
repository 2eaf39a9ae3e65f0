import { z } from "zod";
import { addressesOf, type RuntimeAttachment } from "../runtime/runtime.ts";
import type { FirewallPort } from "./firewall/firewall-table.ts";
import type { InstanceFiles } from "./instance-files.ts";

/** The ports of an instance at each of its addresses. */
export function firewallPorts(networks: readonly RuntimeAttachment[]): FirewallPort[] {
  return networks.flatMap((network) =>
    addressesOf(network).flatMap((address) =>
      network.openPorts.map(({ protocol, port, endPort, from, isUnnamed }) => ({
        address,
        protocol: protocol.toLowerCase() as FirewallPort["protocol"],
        port: endPort === undefined ? String(port) : `${port}-${endPort}`,
        from,
        isUnnamed,
      })),
    ),
  );
}

const recordName = "ports";
const record = z.array(
  z.object({
    address: z.union([z.ipv4(), z.ipv6()]),
    protocol: z.enum(["tcp", "udp", "sctp"]),
    port: z.string().regex(/^\d+(-\d+)?$/),
    from: z.array(z.string().regex(/^[0-9a-f:.]+-[0-9a-f:.]+$/)).optional(),
    isUnnamed: z.boolean().optional(),
  }),
);

/**
 * The ports of instances in files, as they change while an instance runs: a provider that starts knows who
 * may reach what before it has read the control planes. Without a readable record, nothing is open.
 */
export class PortRecord {
  readonly #files: InstanceFiles;
  /** What was written, by uid. */
  readonly #written = new Map<string, string>();

  constructor(files: InstanceFiles) {
    this.#files = files;
  }

  async write(uid: string, ports: readonly FirewallPort[]): Promise<void> {
    const text = JSON.stringify(ports);
    if (this.#written.get(uid) === text) return;
    await this.#files.writeRecord(uid, recordName, ports);
    this.#written.set(uid, text);
  }

  /** To be called when the files of an instance are removed. */
  forget(uid: string): void {
    this.#written.delete(uid);
  }

  async read(): Promise<Map<string, FirewallPort[]>> {
    const found = new Map<string, FirewallPort[]>();
    for (const uid of await this.#files.uids()) {
      const { data } = record.safeParse(await this.#files.readRecord(uid, recordName));
      if (data !== undefined) found.set(uid, data);
    }
    return found;
  }
}
