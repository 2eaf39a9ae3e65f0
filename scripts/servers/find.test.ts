import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findServers, furtherFolders } from "./find.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-find-"));
  vi.stubEnv("PATH", join(folder, "bin"));
  vi.stubEnv("PROMETHEUS_BIN", undefined);
  vi.stubEnv("PROMTOOL_BIN", undefined);
  vi.stubEnv("LD_LIBRARY_PATH", undefined);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function program(path: string, mode = 0o755): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, "#!/bin/sh\n");
  await chmod(file, mode);
  return file;
}

const find = () => findServers(["prometheus"], { directory: join(folder, "servers"), install: false });

describe("findServers", () => {
  it("takes the environment's program before the one on PATH", async () => {
    await program("bin/prometheus");
    const mine = await program("mine/prom-3");
    vi.stubEnv("PROMETHEUS_BIN", mine);
    expect(await find()).toEqual({ prometheus: { path: mine, env: {} } });
  });

  it("looks for a bare name of the environment on PATH", async () => {
    const mine = await program("bin/prom-3");
    vi.stubEnv("PROMETHEUS_BIN", "prom-3");
    expect(await find()).toEqual({ prometheus: { path: mine, env: {} } });
  });

  it("refuses an environment variable that names nothing that runs, rather than running another build", async () => {
    await program("bin/prometheus");
    vi.stubEnv("PROMETHEUS_BIN", await program("mine/prometheus", 0o644));
    await expect(find()).rejects.toThrow(/^PROMETHEUS_BIN=.*no program of that name that can be run$/);
  });

  it("takes PATH before what was unpacked", async () => {
    const onPath = await program("bin/prometheus");
    await program("servers/prometheus/usr/bin/prometheus");
    expect(await find()).toEqual({ prometheus: { path: onPath, env: {} } });
  });

  it("finds what was unpacked, with its libraries", async () => {
    const path = await program("servers/prometheus/usr/bin/prometheus");
    await program("servers/unpacking-x/root/usr/bin/prometheus");
    const { prometheus } = await find();
    expect(prometheus.path).toBe(path);
    expect(prometheus.env["LD_LIBRARY_PATH"]).toMatch(/^.*\/servers\/prometheus\/usr\/lib\/.*-linux-gnu:/);
  });

  it("looks for daemons where packages put them, which is not on every PATH", () => {
    expect(furtherFolders("haproxy")).toEqual(["/usr/local/sbin", "/usr/sbin"]);
    expect(furtherFolders("prometheus")).toEqual([]);
  });

  it("says how to install what is missing, on a machine without apt", async () => {
    await expect(findServers(["prometheus", "promtool"], { directory: folder })).rejects.toThrow(
      /^prometheus, promtool: not found\nAny one of these helps:/,
    );
  });
});
