import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import { areDone, isAddressSet } from "./address-commands.ts";
import { type Acknowledged, addCommands, type CertificateChange, dropCommands } from "./certificates.ts";
import { hostEntry, pathEntries } from "./configuration-writer.ts";
import { commandWord, HaproxyError } from "./haproxy/command-socket.ts";
import { hostKey } from "./haproxy/configuration.ts";
import type { GatewayFiles } from "./haproxy/gateway-files.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import type { PathTable, Placement } from "./placement.ts";
import type { HostOfGateway, MapChange, PlacementChange } from "./placement-change.ts";

export interface RunningHaproxyOptions {
  readonly haproxy: Pick<Haproxy, "ask" | "askLeaving">;
  readonly files: GatewayFiles;
  /** `gateway.domain`. */
  readonly domain: string;
  readonly log: Logger;
}

/** Changes that a HAProxy that runs is given as commands. */
export interface RunningHaproxy {
  /** @throws HaproxyError when one of them is not done; those after it may be */
  give(change: PlacementChange, certificates: CertificateChange): Promise<void>;
  /** Connections that clients keep stay with the worker before: it must not serve what is gone. */
  forget(removed: readonly HostOfGateway[]): Promise<void>;
  /** @returns whether HAProxy has them all; what one worker does not take is loaded with the next one */
  setAddresses(commands: readonly string[]): Promise<boolean>;
}

/** Characters of commands on one connection, about: HAProxy reads them into a buffer of 32 KiB. */
const commandsLength = 8 * 1024;
/** Removed programs that earlier workers are given after a load: each takes some ms. */
const maxForgotten = 100;

export function createRunningHaproxy({ haproxy, files, domain, log }: RunningHaproxyOptions): RunningHaproxy {
  const [hostsMap, pathsMap] = [commandWord(files.hosts), commandWord(files.paths)];

  const hostOf = ({ gateway, hostname }: HostOfGateway): string =>
    commandWord(hostname === undefined ? `${gateway}.${domain}` : hostKey(hostname));
  const tableCommands = (table: PathTable): string[] =>
    pathEntries(table).map(([key, entry]) => `add map ${pathsMap} ${commandWord(key)} ${commandWord(entry)}`);
  const mapCommand = (each: MapChange, next: Placement): string => {
    const entry = each.change === "del" ? "" : ` ${commandWord(hostEntry(next, each.gateway))}`;
    return `${each.change} map ${hostsMap} ${hostOf(each)}${entry}`;
  };

  const giveAll = async (commands: readonly string[]): Promise<void> => {
    for (let at = 0, end = 0; at < commands.length; at = end) {
      let length = 0;
      do length += (commands[end++] ?? "").length;
      while (end < commands.length && length < commandsLength);
      const some = commands.slice(at, end);
      const response = await haproxy.ask(some.join(";"));
      if (!areDone(some, response)) throw new HaproxyError(`a command failed: ${response.slice(0, 500)}`);
    }
  };

  const giveEach = async (commands: readonly Acknowledged[]): Promise<void> => {
    for (const [command, isDone] of commands) {
      // The command may have a key, and what HAProxy does not understand is in its response.
      if (!isDone.test(await haproxy.ask(command))) throw new HaproxyError("a certificate was not accepted");
    }
  };

  return {
    async give({ servers, tables, maps, next }, { added, dropped }) {
      await giveAll(servers);
      await giveAll(tables.flatMap(tableCommands));
      await giveEach(added.flatMap((each) => addCommands(files, each)));
      await giveAll(maps.map((each) => mapCommand(each, next)));
      // Of two for one name, the earlier one is presented until it goes: at no time there is none.
      await giveEach(dropped.flatMap((each) => dropCommands(files, each)));
    },
    async forget(removed) {
      const forgotten = removed.slice(0, maxForgotten);
      await haproxy.askLeaving(forgotten.map((host) => `del map ${hostsMap} ${hostOf(host)}`));
    },
    async setAddresses(commands) {
      for (const command of commands) {
        const response = await haproxy.ask(command).catch(describeError);
        if (isAddressSet(response)) continue;
        const shown = response.slice(0, 200);
        log.debug({ command, response: shown }, "HAProxy rejected the update of a server's address");
        return false;
      }
      return true;
    },
  };
}
