import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AddressRange, parseAddress } from "../../../src/base/net/address-range.ts";
import type { RunningEngine } from "../../support/provider/engine.ts";

const run = promisify(execFile);

interface Interface {
  readonly ifname: string;
  readonly addr_info: readonly { readonly local: string }[];
}

/**
 * Removes the bridges of networks that Podman no longer has: killed while it takes one down, it leaves the bridge on
 * the machine, and refuses the subnet from then on.
 *
 * @param range of the networks of this run; no other bridge is touched
 * @returns their names
 */
export async function removeStaleBridges(podman: RunningEngine, range: string): Promise<string[]> {
  const { stdout } = await run("ip", ["-json", "-4", "address"]);
  const own = new AddressRange(range);
  const bridges = (JSON.parse(stdout) as Interface[]).filter(
    ({ ifname, addr_info }) =>
      /^td[0-9a-f]{12}$/.test(ifname) &&
      addr_info.some(({ local }) => {
        const address = parseAddress(local);
        return address !== undefined && own.contains(address);
      }),
  );
  const names = (await podman.cli("network", "ls", "--quiet")).trim().split("\n");
  const networks: readonly { readonly network_interface: string }[] = JSON.parse(
    await podman.cli("network", "inspect", ...names),
  );
  const used = new Set(networks.map(({ network_interface }) => network_interface));
  const stale = bridges.map(({ ifname }) => ifname).filter((name) => !used.has(name));
  for (const name of stale) await run("ip", ["link", "delete", name]);
  return stale;
}
