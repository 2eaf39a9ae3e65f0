import { rename, writeFile } from "node:fs/promises";
import type { Logger } from "../../base/core/log.ts";
import { answer, backendSection, sectionName } from "./haproxy/backend-section.ts";
import { HaproxyError } from "./haproxy/command-socket.ts";
import {
  type GatewayFiles,
  type GatewaySettings,
  requestScript,
  sharedConfiguration,
} from "./haproxy/configuration.ts";
import { type Section, writeConfiguration, writeHosts } from "./haproxy/configuration-file.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import { addressOf, type HeldProgram, type HeldPrograms } from "./held-programs.ts";

export interface ConfigurationWriterOptions {
  readonly settings: GatewaySettings;
  readonly domain: string;
  readonly files: GatewayFiles;
  readonly haproxy: Pick<Haproxy, "check">;
  readonly log: Logger;
}

/** Each round leaves out the programs that HAProxy names; what it does not name ends the search. */
const maxRounds = 5;

/**
 * Writes the configuration of all programs, and has HAProxy check it before it takes the place of the last
 * one. A program that HAProxy refuses is left out, and says why.
 *
 * @throws HaproxyError when it refuses the configuration for another reason
 */
export async function writeChecked(
  programs: HeldPrograms,
  options: ConfigurationWriterOptions,
): Promise<void> {
  const { files, haproxy, settings } = options;
  const shared = sharedConfiguration(settings, files, programs.size);
  const candidate = `${files.configuration}.next`;
  const sections = function* (): Iterable<Section> {
    for (const held of programs.all()) yield sectionOf(held, programs, options);
  };
  // A program that is left out keeps its hostname, which then says so.
  await writeHosts(files.hosts, sections());
  await writeFile(files.script, requestScript, { mode: 0o600 });
  for (let round = 1; ; round++) {
    const lines = await writeConfiguration(candidate, shared, sections());
    const complaints = await haproxy.check(candidate);
    if (complaints.length === 0) break;
    let isNamed = false;
    for (const { line, message } of complaints) {
      const gateway = (line === undefined ? undefined : lines.gatewayOf(line)) ?? namedIn(message);
      if (gateway === undefined || programs.program(gateway) === undefined) continue;
      // The message has paths, and words of the configuration.
      programs.refuse(gateway, "HAProxy does not accept it");
      options.log.warn({ gateway, message: message.slice(0, 500) }, "HAProxy does not accept a program");
      isNamed = true;
    }
    if (!isNamed || round === maxRounds) {
      throw new HaproxyError(`HAProxy does not accept the configuration: ${complaints[0]?.message ?? ""}`);
    }
  }
  await rename(candidate, files.configuration);
}

function namedIn(message: string): string | undefined {
  return /\bgateway-([0-9a-f-]{36})\b/.exec(message)?.[1];
}

/** The section, made only once. */
function sectionOf(
  held: HeldProgram,
  programs: HeldPrograms,
  { settings, domain, files }: ConfigurationWriterOptions,
): Section {
  if (held.section !== undefined) return held.section;
  const { gateway } = held.program;
  const hostname = `${gateway}.${domain}`;
  held.section = { gateway, hostname, text: refusedSection(gateway) };
  if (held.refused === undefined) {
    try {
      const text = backendSection(held.program, {
        requestsPerProxy: settings.limits.requestsPerProxy,
        connections: settings.limits.connections,
        authoritiesFile: files.authorities,
        addressOf: (rule) => addressOf(held, rule),
      });
      held.section = { gateway, hostname, text };
    } catch (error) {
      programs.refuse(gateway, error instanceof Error ? error.message : String(error));
      held.section = { gateway, hostname, text: refusedSection(gateway) };
    }
  }
  return held.section;
}

/** For a program that cannot be carried out: its hostname is known, and answers so. */
function refusedSection(gateway: string): string {
  return `backend ${sectionName(gateway)}\n  ${answer(503, "the proxy cannot be carried out", "")}\n`;
}
