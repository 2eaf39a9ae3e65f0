import { describe, expect, it } from "vitest";
import type { ServerName } from "./catalogue.ts";
import {
  howToInstall,
  libraryFolders,
  type Machine,
  multiarchTriplet,
  newPackages,
  planFor,
} from "./plan.ts";

describe("planFor", () => {
  const debianRoot: Machine = { isRoot: true, hasApt: true };
  const debianUser: Machine = { isRoot: false, hasApt: true };
  const elsewhere: Machine = { isRoot: true, hasApt: false };
  const cases: readonly [string, ServerName[], Machine, object][] = [
    ["nothing missing", [], elsewhere, { kind: "nothing" }],
    ["root installs", ["prometheus"], debianRoot, { kind: "install", packages: ["prometheus"] }],
    [
      "a user unpacks",
      ["redis-server"],
      debianUser,
      { kind: "unpack", packages: ["redis-server", "redis-tools"] },
    ],
    ["a daemon's package", ["haproxy"], debianRoot, { kind: "install", packages: ["haproxy"] }],
    [
      "programs of one package count once",
      ["vmagent", "promtool", "victoria-metrics", "prometheus"],
      debianRoot,
      { kind: "install", packages: ["prometheus", "victoria-metrics"] },
    ],
    ["what is only unpacked is not installed", ["cloud-kernel"], debianRoot, { kind: "nothing" }],
    ["what Go builds needs no package", ["helm"], { ...debianRoot, go: "/usr/bin/go" }, { kind: "nothing" }],
    [
      "packages beside what Go builds",
      ["helm", "haproxy"],
      { ...debianRoot, go: "/usr/bin/go" },
      { kind: "install", packages: ["haproxy"] },
    ],
  ];
  it.each(cases)("%s", (_name, missing, machine, plan) => {
    expect(planFor(missing, machine)).toEqual(plan);
  });

  it("explains to a person on a machine without Go", () => {
    const plan = planFor(["helm"], debianRoot);
    const message = plan.kind === "explain" ? plan.message : "";
    expect(message).toContain("helm: not found, and installing failed: go is not installed");
    expect(message).toMatch(/go install helm\.sh\/helm\/v3\/cmd\/helm@v3\.\d+\.\d+$/m);
    expect(message).toContain("HELM_BIN=/path/to/helm");
    expect(message).not.toContain("apt-get");
  });

  it("explains to a person on a machine without apt", () => {
    const plan = planFor(["victoria-metrics", "redis-server"], elsewhere);
    expect(plan.kind).toBe("explain");
    const message = plan.kind === "explain" ? plan.message : "";
    expect(message).toContain("victoria-metrics, redis-server: not found");
    expect(message).toContain("VICTORIA_METRICS_BIN=/path/to/victoria-metrics");
    expect(message).toContain("apt-get install redis-server redis-tools victoria-metrics");
    expect(message).toContain("docker compose up");
  });
});

it("howToInstall carries the reason why installing failed", () => {
  expect(howToInstall(["prometheus"], "apt-get update: no network")).toContain(
    "prometheus: not found, and installing failed: apt-get update: no network",
  );
});

describe("newPackages", () => {
  const cases: readonly [string, string, string[]][] = [
    ["nothing to do", "Reading package lists...\n0 upgraded, 0 newly installed.\n", []],
    [
      "new ones, sorted, once per line",
      "Inst liblzf1 (3.6-3 Debian:12 [amd64])\nInst libatomic1 (12.2 Debian:12 [amd64]) []\nConf liblzf1 (3.6-3 Debian:12 [amd64])\n",
      ["libatomic1", "liblzf1"],
    ],
    ["upgrades are not ours to make", "Inst libssl3 [3.0.1] (3.0.2 Debian:12 [amd64])\n", []],
    [
      "never a second C library",
      "Inst libc6 (2.36 Debian:12 [amd64])\nInst libc6:i386 (2.36 Debian:12)\n",
      [],
    ],
  ];
  it.each(cases)("%s", (_name, simulation, packages) => {
    expect(newPackages(simulation)).toEqual(packages);
  });
});

it.each([
  ["x64", "x86_64-linux-gnu"],
  ["arm64", "aarch64-linux-gnu"],
  ["arm", "arm-linux-gnueabihf"],
  ["riscv64", "riscv64-linux-gnu"],
])("multiarchTriplet(%s)", (arch, triplet) => {
  expect(multiarchTriplet(arch)).toBe(triplet);
});

it("libraryFolders looks in the machine's own folders first", () => {
  expect(libraryFolders("/r", "x86_64-linux-gnu")).toEqual([
    "/r/usr/lib/x86_64-linux-gnu",
    "/r/lib/x86_64-linux-gnu",
    "/r/usr/lib",
    "/r/lib",
  ]);
});
