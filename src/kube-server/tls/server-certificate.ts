import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode, TelemetrydError } from "../../base/core/errors.ts";
import { makeDirectory } from "../../base/core/make-directory.ts";
import { replaceFile } from "../../base/core/replace-file.ts";
import {
  type CertificateAndKey,
  isAuthorityUsable,
  makeAuthority,
  makeServerCertificate,
  needsRenewal,
} from "./certificates.ts";

/** TLS material of the server, and the authority that its clients must trust. */
export interface ServerCertificate extends CertificateAndKey {
  /** Certificate of the generated authority; undefined if the operator provides a certificate. */
  readonly authority?: string;
}

export interface CertificateOptions {
  /** Subject of generated certificates. */
  readonly title: string;
  readonly stateDirectory: string;
  /** The operator's own; both or neither. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Section of the configuration with the operator's files. */
  readonly section: string;
  /** Name of a generated certificate's files. All of them have the same authority. */
  readonly file: string;
  /** Names and addresses that a generated certificate is good for. */
  readonly names: readonly string[];
}

/**
 * The certificate to serve: the operator's, or a generated one that is stored under the state directory and
 * renewed before it expires. May be called again at any time.
 *
 * @throws FILE_UNREADABLE for the operator's files, STATE_UNUSABLE for generated ones
 */
export async function loadCertificate(wanted: CertificateOptions, nowMs: number): Promise<ServerCertificate> {
  const { certFile = "", keyFile = "", section, stateDirectory } = wanted;
  if (certFile !== "" || keyFile !== "") {
    return { certificate: await readOwn(certFile, section), key: await readOwn(keyFile, section) };
  }
  try {
    return await ownCertificate(wanted, nowMs);
  } catch (cause) {
    throw new TelemetrydError("STATE_UNUSABLE", `no certificate can be kept in ${stateDirectory}`, { cause });
  }
}

async function readOwn(path: string, section: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new TelemetrydError("FILE_UNREADABLE", `${section}: ${path || "no file"} cannot be read`, {
      cause,
    });
  }
}

async function ownCertificate(wanted: CertificateOptions, nowMs: number): Promise<ServerCertificate> {
  const directory = join(wanted.stateDirectory, "platform");
  await makeDirectory(directory);
  const names = [...new Set(wanted.names)];
  let authority = await readPair(directory, "ca");
  if (authority === undefined || !isAuthorityUsable(authority.certificate, nowMs)) {
    authority = await makeAuthority(wanted.title, nowMs);
    await writePair(directory, "ca", authority);
  }
  let own = await readPair(directory, wanted.file);
  if (own === undefined || needsRenewal(own.certificate, authority.certificate, names, nowMs)) {
    own = await makeServerCertificate(wanted.title, authority, names, nowMs);
    await writePair(directory, wanted.file, own);
  }
  return { ...own, authority: authority.certificate };
}

async function readPair(directory: string, name: string): Promise<CertificateAndKey | undefined> {
  try {
    const read = (extension: string) => readFile(join(directory, `${name}.${extension}`), "utf8");
    return { certificate: await read("crt"), key: await read("key") };
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The order does not matter: if either file is missing, both are recreated. */
async function writePair(directory: string, name: string, pair: CertificateAndKey): Promise<void> {
  for (const [extension, text] of [
    ["key", pair.key],
    ["crt", pair.certificate],
  ] as const) {
    await replaceFile(join(directory, `${name}.${extension}`), text);
  }
}
