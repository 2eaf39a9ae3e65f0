import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { systemClock } from "../../../base/core/clock.ts";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import { withLimit } from "../../../base/core/signals.ts";
import { version } from "../../../base/core/version.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import type { Config } from "../../config/schema.ts";
import { listenAddresses } from "../../daemon/gateway.ts";
import { needsRedis } from "../../daemon/redis.ts";
import type { CommandResult } from "../command.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { opsUrl } from "../ops-address.ts";
import { printedJson } from "../printed-json.ts";
import { checkExport } from "./export-checks.ts";
import { type Finding, failed, findingsText, ok, warning } from "./findings.ts";
import { checkListen, checkProgram, checkState } from "./system-checks.ts";

export interface DoctorOptions extends ConfigCommandOptions {
  /** The ops address of a running daemon, for the bundle. */
  readonly address: string;
  /** A file for a support request, `.tar.gz`. */
  readonly bundle?: string | undefined;
  readonly output: "table" | "json";
}

const checkLimitMs = 15_000;
const redisLimitMs = 5_000;

/**
 * `telemetryd doctor`: checks what a configuration needs, without changing anything; receivers get an empty
 * request. Exit status 4 when a check fails.
 *
 * @throws INVALID_CONFIGURATION, FILE_UNREADABLE; INVALID_ARGUMENT for a bundle that cannot be written
 */
export async function doctor(options: DoctorOptions, signal: AbortSignal): Promise<CommandResult> {
  const config = await loadCommandConfig(options, signal);
  const findings = await check(config, signal);
  const written = options.bundle === undefined ? "" : await writeBundle(options, config, findings, signal);
  const text = options.output === "json" ? printedJson(findings) : findingsText(findings) + written;
  return { text, exitStatus: findings.some(({ status }) => status === "failed") ? 4 : 0 };
}

async function check(config: Config, signal: AbortSignal): Promise<Finding[]> {
  const { metrics, gateway, provider, redis, controlPlane } = config;
  const state = await checkState(config.state.directory, stateBytes(config));
  const checks: Promise<Finding | readonly Finding[]>[] = [];
  const bounded = (name: string, work: (limited: AbortSignal) => Promise<Finding | readonly Finding[]>) => {
    const late = failed(name, `no result within ${checkLimitMs / 1_000} s`, "see whether it is reachable");
    checks.push(
      withLimit(signal, checkLimitMs, work).catch((error: unknown) => {
        signal.throwIfAborted();
        return error instanceof DOMException
          ? late
          : failed(name, redact(describeError(error)), "see the message");
      }),
    );
  };
  if (!state.isInUse) {
    for (const [key, listen] of listenAddresses(config)) bounded(key, () => checkListen(key, listen));
  }
  if (metrics !== undefined) {
    bounded("metrics.url", (limited) => checkExport({ ...config, metrics }, limited));
  }
  if (needsRedis(config) && redis?.url !== undefined)
    bounded("redis.url", (limited) => checkExternalRedis(config, limited));
  else if (needsRedis(config)) {
    const program = process.env["REDIS_SERVER_BIN"] ?? "redis-server";
    bounded("Redis", () =>
      checkProgram("Redis", program, "--version", "install redis-server 6.2 or newer, or set redis.url"),
    );
  }
  if (gateway !== undefined) {
    const program = process.env["HAPROXY_BIN"] || "haproxy";
    bounded("HAProxy", () => checkProgram("HAProxy", program, "-v", "install haproxy 2.6 or newer"));
  }
  if (provider?.kind === "engine") {
    bounded("provider.engine.socket", (limited) => checkEngine(provider.engine.socket, limited));
    if (provider.engine.firewall !== "none") {
      bounded("nftables", () =>
        checkProgram("nftables", "nft", "--version", "install nftables, and let the daemon use it"),
      );
    }
  }
  if (controlPlane?.accessTokenFile !== undefined) {
    // The platform of this configuration responds only while its daemon runs.
    const isDown = config.platform !== undefined && !state.isInUse;
    bounded("controlPlane.accessTokenFile", (limited) =>
      isDown ? checkTokenFile(config) : checkToken(config, limited),
    );
  }
  const program = ok("telemetryd", `${version}, Node.js ${process.version}`);
  return [program, state.finding, ...(await Promise.all(checks)).flat()];
}

/** What the state directory may hold by its limits, beside what is small. */
function stateBytes({ delivery }: Config): number {
  return delivery.rejected.maxBytes + delivery.sentLog.maxBytes;
}

async function checkExternalRedis({ redis, state }: Config, signal: AbortSignal): Promise<Finding> {
  const { checkRedis } = await import("../../../base/redis/redis.ts");
  const remedy = "check redis.url, its password and the server";
  try {
    const report = await withLimit(signal, redisLimitMs, (limited) =>
      checkRedis({ urls: redis?.url ?? [], stateDirectory: state.directory }, limited),
    );
    if (report.refusal !== undefined) return failed("redis.url", report.refusal, remedy);
    const [first] = report.warnings;
    return first === undefined
      ? ok("redis.url", `Redis ${report.version}`)
      : warning("redis.url", `Redis ${report.version}: ${first}`, "change its configuration");
  } catch (error) {
    return failed("redis.url", redact(describeError(error)), remedy);
  }
}

async function checkEngine(socket: string, signal: AbortSignal): Promise<Finding> {
  const [{ createEngineClient }, { askEngine }] = await Promise.all([
    import("../../../platform/provider/engine/engine-client.ts"),
    import("../../../platform/provider/engine/engine-version.ts"),
  ]);
  const client = createEngineClient(socket);
  try {
    const engine = await askEngine(client, signal);
    return ok(
      "provider.engine.socket",
      `${engine.isPodman ? "Podman" : "Docker"} ${engine.version} at ${socket}`,
    );
  } catch (error) {
    return failed(
      "provider.engine.socket",
      `${socket}: ${describeError(error)}`,
      "start the engine, and let the daemon use its socket",
    );
  } finally {
    await client.close();
  }
}

const tokenCheck = "controlPlane.accessTokenFile";

async function checkTokenFile({ controlPlane }: Config): Promise<Finding> {
  const path = controlPlane?.accessTokenFile ?? "";
  const remedy = "telemetryd token create makes a token; the daemon's user must be able to read the file";
  try {
    const isEmpty = (await readFile(path, "utf8")).trim() === "";
    return isEmpty
      ? failed(tokenCheck, `${path} is empty`, remedy)
      : ok(tokenCheck, `${path} can be read; the platform does not run`);
  } catch (error) {
    return failed(tokenCheck, describeError(error), remedy);
  }
}

/** Exchanges the Personal Access Token, as the daemon does. */
async function checkToken(config: Config, signal: AbortSignal): Promise<Finding> {
  const { apiUrl = "", groupDomain = "", accessTokenFile = "", caFile } = config.controlPlane ?? {};
  const [{ openApi }, { authorityOfPlatform }] = await Promise.all([
    import("../../../platform/client/api/api-access.ts"),
    import("../../daemon/platform.ts"),
  ]);
  const ca = caFile === undefined ? await authorityOfPlatform(config, systemClock.nowMs()) : undefined;
  const log = silentLogger;
  const api = openApi({ apiUrl, groupDomain, accessTokenFile, caFile, ca, clock: systemClock, log });
  try {
    const exchanged = await api.exchangeOnce(signal);
    if (exchanged.outcome === "exchanged") return ok(tokenCheck, `${apiUrl} accepts the token`);
    const remedy =
      exchanged.outcome === "denied"
        ? "make another token with telemetryd token create, and write it to the file"
        : "check controlPlane.apiUrl, controlPlane.caFile and the platform";
    return failed(tokenCheck, `${apiUrl}: ${redact(exchanged.message)}`, remedy);
  } catch (error) {
    signal.throwIfAborted();
    const remedy = "telemetryd token create makes a token; the daemon's user must be able to read the file";
    return failed(tokenCheck, redact(describeError(error)), remedy);
  } finally {
    await api.close();
  }
}

/** @returns a note for the reader */
async function writeBundle(
  { address, bundle = "" }: DoctorOptions,
  config: Config,
  findings: readonly Finding[],
  signal: AbortSignal,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bundle-"));
  try {
    const files: Record<string, string> = {
      "doctor.txt": findingsText(findings),
      "configuration.json": redact(JSON.stringify(config, withoutSecrets, 2)),
      "versions.json": JSON.stringify({
        telemetryd: version,
        node: process.versions,
        platform: process.platform,
      }),
      "status.json": redact(await fetched(address, "api/v1/status", signal)),
      "metrics.txt": redact(await fetched(address, "metrics", signal)),
      "readyz.txt": redact(await fetched(address, "readyz", signal)),
    };
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), text, { mode: 0o600 });
    await promisify(execFile)("tar", ["-czf", resolve(bundle), "-C", folder, ...Object.keys(files)]);
    return `\n${bundle} has ${Object.keys(files).join(", ")}. Add the daemon's log, and read all before you pass it on.\n`;
  } catch (cause) {
    throw new TelemetrydError("INVALID_ARGUMENT", `--bundle: ${bundle}: ${describeError(cause)}`, { cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Values that may be secrets by their key; files of secrets are named only, and their content is not here. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (/^(headers|password|token|secret|username)$/i.test(key)) return "(removed)";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

/** A running daemon's response; why there is none otherwise. */
async function fetched(address: string, path: string, signal: AbortSignal): Promise<string> {
  try {
    return await withLimit(signal, checkLimitMs, async (limited) => {
      const response = await fetch(opsUrl(address, path), { signal: limited, redirect: "manual" });
      return await response.text();
    });
  } catch (error) {
    signal.throwIfAborted();
    return `no response of ${address}: ${describeError(error)}\n`;
  }
}
