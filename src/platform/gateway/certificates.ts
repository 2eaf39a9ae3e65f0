import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HostCertificate, RouteProgram } from "../routing/route-program.ts";
import { commandWord } from "./haproxy/command-socket.ts";
import { writeText } from "./haproxy/configuration-file.ts";
import type { GatewayFiles } from "./haproxy/gateway-files.ts";
import type { HeldProgram } from "./held-program.ts";

/** A certificate of a program, as HAProxy has it. */
export interface PlacedCertificate {
  /** Name of its file: another one for other contents or other hostnames, so that no file ever changes. */
  readonly name: string;
  readonly hostnames: readonly string[];
  readonly pem: string;
}

/** A placement, as far as it matters here. */
interface Places {
  readonly places: ReadonlyMap<
    string,
    { readonly hostnames: readonly string[]; readonly certificates: readonly PlacedCertificate[] }
  >;
}

type CertificateFiles = Pick<GatewayFiles, "certificates" | "certificateList">;

const known = new WeakMap<HostCertificate, PlacedCertificate>();

export function placedCertificates({
  gateway,
  certificates = [],
}: Pick<RouteProgram, "gateway" | "certificates">): readonly PlacedCertificate[] {
  return certificates.map((each) => {
    const { hostnames, pem } = each;
    let placed = known.get(each);
    if (placed === undefined) {
      const digest = createHash("sha256")
        .update(`${hostnames.join(" ")}\n${pem}`)
        .digest("hex");
      placed = { name: `${gateway}-${digest.slice(0, 32)}.pem`, hostnames, pem };
      known.set(each, placed);
    }
    return placed;
  });
}

/** Those of all versions that are served, or may be. */
export function certificatesOf(programs: Iterable<HeldProgram>): PlacedCertificate[] {
  return [...programs].flatMap((held) =>
    [held, held.earlier, held.candidate].flatMap((each) => (each ? placedCertificates(each.program) : [])),
  );
}

/** Writes those that are not there. */
export async function writeCertificates(
  { certificates: folder }: CertificateFiles,
  certificates: readonly PlacedCertificate[],
): Promise<void> {
  if (certificates.length === 0) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const present = new Set(await readdir(folder));
  for (const { name, pem } of certificates) {
    if (!present.has(name)) await writeText(join(folder, name), pem);
  }
}

/** Removes all others. */
export async function dropCertificates(
  { certificates: folder }: CertificateFiles,
  kept: Iterable<PlacedCertificate>,
): Promise<void> {
  const names = new Set([...kept].map(({ name }) => name));
  const present = await readdir(folder).catch(() => []);
  for (const name of present) if (!names.has(name)) await rm(join(folder, name), { force: true });
}

/** All that a placement has. */
export function certificatesIn({ places }: Places): PlacedCertificate[] {
  return [...places.values()].flatMap(({ certificates }) => certificates);
}

/** Hostnames of a line: HAProxy reads lines of 64 KiB. */
const namesOfLine = 100;

/** HAProxy's list of certificates, each with the names for which clients get it (SNI). */
export function certificateLines(placement: Places): string[] {
  const others = hostsWithoutOwn(placement);
  const parts = Array.from({ length: Math.ceil(others.length / namesOfLine) }, (_, index) =>
    others.slice(index * namesOfLine, (index + 1) * namesOfLine),
  );
  return [
    ...certificatesIn(placement).map(lineOf),
    ...parts.map((names) => `../certificate.pem ${names.join(" ")}`),
  ];
}

function lineOf({ name, hostnames }: PlacedCertificate): string {
  return `${name} ${hostnames.join(" ")}`;
}

/**
 * Hostnames without a certificate of their own for which HAProxy would take that of a wildcard: perhaps
 * another project's. They have the gateway's.
 */
function hostsWithoutOwn({ places }: Places): string[] {
  const named = new Set(certificatesIn({ places }).flatMap(({ hostnames }) => hostnames));
  if (![...named].some((name) => name.startsWith("*."))) return [];
  const all = [...places.values()].flatMap(({ hostnames }) => hostnames);
  return all.filter((name) => !named.has(name) && named.has(name.replace(/^[^.]*/, "*"))).sort();
}

export interface CertificateChange {
  readonly added: readonly PlacedCertificate[];
  readonly dropped: readonly PlacedCertificate[];
  /** Whether the rest of the list stays: otherwise it needs a load. */
  readonly isComplete: boolean;
}

export function certificateChange(before: Places, next: Places): CertificateChange {
  const [old, now] = [certificatesIn(before), certificatesIn(next)];
  if (old.length + now.length === 0) return { added: [], dropped: [], isComplete: true };
  const without = (all: readonly PlacedCertificate[], others: readonly PlacedCertificate[]) => {
    const names = new Set(others.map(({ name }) => name));
    return all.filter(({ name }) => !names.has(name));
  };
  const isComplete = String(hostsWithoutOwn(before)) === String(hostsWithoutOwn(next));
  return { added: without(now, old), dropped: without(old, now), isComplete };
}

/** A command of HAProxy's, and what it responds if it has carried it out. */
export type Acknowledged = readonly [command: string, isDone: RegExp];

/** Commands that give HAProxy a certificate (management guide, section 9.3, "new ssl cert"). */
export function addCommands(
  { certificates: folder, certificateList: list }: CertificateFiles,
  certificate: PlacedCertificate,
): Acknowledged[] {
  const file = commandWord(join(folder, certificate.name));
  return [
    [`new ssl cert ${file}`, /^New empty certificate store /],
    [`set ssl cert ${file} <<\n${certificate.pem}`, /^Transaction created /],
    [`commit ssl cert ${file}`, /^Success!$/m],
    [`add ssl crt-list ${commandWord(list)} <<\n${lineOf(certificate)}\n`, /^Success!$/m],
  ];
}

/** Commands that take one from it; connections that have it stay. */
export function dropCommands(
  { certificates: folder, certificateList: list }: CertificateFiles,
  { name }: PlacedCertificate,
): Acknowledged[] {
  const file = commandWord(join(folder, name));
  return [
    [`del ssl crt-list ${commandWord(list)} ${file}`, /^Entry .* deleted /],
    [`del ssl cert ${file}`, /^Certificate .* deleted!/],
  ];
}
