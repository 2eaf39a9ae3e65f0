import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { catalogue } from "../servers/catalogue.ts";
import { usrLayer } from "./stage-root.ts";

/** Programs that the base image lacks, whatever this machine has. */
const absent = ["haproxy"] as const;
const programFolders = ["sbin", "bin", "local/sbin", "local/bin"];

/**
 * Makes a stage's folder a Debian in which apt-get can install packages: this machine's, less those of the
 * absent programs.
 */
export function prepareBase(folder: string): void {
  const layer = usrLayer(folder);
  for (const program of absent) {
    for (const path of programFolders.map((place) => join(layer, place, program))) {
      mkdirSync(dirname(path), { recursive: true });
      // To an overlay, such a device is a deleted file.
      execFileSync("mknod", [path, "c", "0", "0"]);
    }
  }
  // As the official images have it: no package starts a service.
  const policy = join(layer, "sbin/policy-rc.d");
  writeFileSync(policy, "#!/bin/sh\nexit 101\n");
  chmodSync(policy, 0o755);
  for (const path of ["etc", "run", "var/log", "var/cache"]) {
    mkdirSync(join(folder, path), { recursive: true });
  }
  for (const name of ["passwd", "group"]) cpSync(`/etc/${name}`, join(folder, "etc", name));
  if (!existsSync("/var/lib/dpkg/status")) return;
  cpSync("/var/lib/dpkg", join(folder, "var/lib/dpkg"), { recursive: true });
  const status = join(folder, "var/lib/dpkg/status");
  const packages = new Set<string>(absent.flatMap((name) => catalogue[name].debianPackages));
  const paragraphs = readFileSync(status, "utf8").split("\n\n");
  const isKept = (paragraph: string): boolean => !packages.has(/^Package: (.*)$/m.exec(paragraph)?.[1] ?? "");
  writeFileSync(status, paragraphs.filter(isKept).join("\n\n"));
}
