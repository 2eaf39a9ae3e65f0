import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram } from "../src/base/core/program-file.ts";
import { bootMachine } from "./debian/booted-machine.ts";
import { makeDebianPackage } from "./debian/debian-package.ts";
import { expectThat, say, until } from "./image/checks.ts";
import { manifest, projectRoot, run } from "./release/npm-package.ts";
import { freePort } from "./servers/free-port.ts";
import { lockName } from "./servers/install.ts";
import { withMachineLock } from "./servers/lock.ts";

/**
 * `npm run prove -- package`: makes the Debian package, installs it on this machine, runs the unit's command line as
 * the unit's user, upgrades, removes and purges it; then nothing of it is left. Needs root, and a machine on
 * which telemetryd is not installed.
 */
const configuration = "/etc/telemetryd/telemetryd.yaml";
const state = "/var/lib/telemetryd";
const unit = "/lib/systemd/system/telemetryd.service";

const work = mkdtempSync(join(tmpdir(), "telemetryd-package-"));
try {
  await checkMachine();
  run("npm", ["run", "build"], projectRoot);
  const file = makeDebianPackage(work);
  const again = sha256(file);
  expectThat(sha256(makeDebianPackage(work)) === again, "the same sources make the same package");
  // No other process of this project may use dpkg meanwhile.
  await withMachineLock(lockName("/"), () => checkPackage(file), new AbortController().signal);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function checkMachine(): Promise<void> {
  for (const name of ["dpkg", "dpkg-deb"]) {
    if ((await findProgram(name)) === undefined) throw new Error(`needs ${name}: Debian or Ubuntu`);
  }
  if (process.getuid?.() !== 0) throw new Error("needs root: it installs a package");
  for (const path of [configuration, state, unit]) {
    if (existsSync(path)) throw new Error(`${path} exists: telemetryd is installed on this machine`);
  }
}

async function checkPackage(file: string): Promise<void> {
  say(`${manifest.version}: ${(statSync(file).size / 1e6).toFixed(1)} MB`);
  const hasNode = spawnSync("dpkg-query", ["--show", "nodejs"]).status === 0;
  if (!hasNode) say("Node.js is not a package of this machine: dpkg does not check the version of nodejs");
  const force = hasNode ? [] : ["--force-depends"];
  const dpkg = (...args: readonly string[]) => run("dpkg", [...force, ...args], work);
  try {
    dpkg("--install", file);
    checkInstalled();
    await checkUnit();
    checkUpgrade(() => dpkg("--install", file));
    dpkg("--remove", "telemetryd");
    const gone =
      !existsSync("/usr/bin/telemetryd") && !existsSync("/usr/lib/telemetryd") && !existsSync(unit);
    expectThat(gone, "removed: the program and its unit are gone");
    expectThat(existsSync(configuration) && existsSync(state), "removed: configuration and state are there");
  } finally {
    dpkg("--purge", "telemetryd");
  }
  await checkService(file, ["dpkg", ...force]);
  const left = [state, "/etc/telemetryd", ...filesOf(file)].filter((path) => existsSync(path));
  expectThat(left.length === 0, "purged: no file is left", left.join("\n"));
  expectThat(spawnSync("getent", ["passwd", "telemetryd"]).status !== 0, "purged: the user is gone");
}

/** The paths of a package's files and links, without folders, which other packages have too. */
function filesOf(file: string): string[] {
  const lines = run("dpkg-deb", ["--contents", file], work).trim().split("\n");
  const entries = lines.filter((line) => !line.startsWith("d")).map((line) => line.split(" -> ")[0] ?? "");
  return entries.map((line) => line.slice(line.indexOf(" ./") + 2));
}

function checkInstalled(): void {
  const found = run("telemetryd", ["--version"], work).trim();
  expectThat(found === manifest.version, "telemetryd is on PATH", found);
  const validated = run("telemetryd", ["validate", configuration], work);
  expectThat(validated.includes(" 0 errors"), "its configuration has no faults", validated);
  const { uid, mode } = statSync(state);
  const user = Number(run("id", ["-u", "telemetryd"], work));
  expectThat(uid === user && (mode & 0o777) === 0o750, "the state directory belongs to the user telemetryd");
  const policies = statSync("/etc/telemetryd/policies");
  expectThat(
    policies.uid === 0 && (policies.mode & 0o777) === 0o750,
    "others cannot read the policies' Secrets",
  );
}

/** Runs what the unit runs, as the unit's user and with its environment's limits as far as setpriv has them. */
async function checkUnit(): Promise<void> {
  const text = readFileSync(unit, "utf8");
  if ((await findProgram("systemd-analyze")) === undefined)
    say("systemd is not here: its unit is not verified");
  else {
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    expectThat(status === 0 && !stderr.includes("telemetryd"), "systemd accepts the unit", stderr);
    const args = ["security", "--offline=true", "--threshold=20", "--no-pager", unit];
    const security = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    const verdict = security.stdout.trim().split("\n").at(-1) ?? security.stderr;
    expectThat(security.status === 0, `systemd-analyze security: ${verdict}`, security.stderr);
  }
  const [user = "", start = ""] = ["User", "ExecStart"].map(
    (key) => new RegExp(`^${key}=(.+)$`, "m").exec(text)?.[1],
  );
  const port = await freePort();
  const drop = ["--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs", "--bounding-set=-all"];
  const child = spawn("setpriv", [...drop, "--inh-caps=-all", "--", ...start.split(" ")], {
    cwd: "/",
    env: { PATH: process.env["PATH"], TELEMETRYD_OPS_LISTEN: `127.0.0.1:${port}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
  const end = new Promise<string>((done) => child.once("close", (code, signal) => done(`${code ?? signal}`)));
  try {
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    await until(
      isReady,
      `"${start}" runs as ${user}: /readyz responds with 200`,
      end.then((by) => by + output),
    );
    const owned = readdirSync(state).filter(
      (name) => statSync(join(state, name)).uid !== statSync(state).uid,
    );
    expectThat(readdirSync(state).length > 0 && owned.length === 0, "its state is in the state directory");
    child.kill("SIGTERM");
    expectThat((await end) === "0", "SIGTERM ends it with exit status 0", output);
  } finally {
    child.kill("SIGKILL");
  }
}

/** The service under systemd, from its first start to its removal. */
async function checkService(file: string, dpkg: readonly string[]): Promise<void> {
  const machine = await bootMachine();
  if (typeof machine === "string") {
    say(`SKIPPED: the service under systemd, which cannot be started here: ${machine}`);
    return;
  }
  const never = new Promise<never>(() => undefined);
  const property = (name: string) =>
    machine.run(["systemctl", "show", "--property", name, "--value", "telemetryd"]).trim();
  const untilReady = (what: string, before = "") =>
    until(
      async () => {
        const status = machine.run(["telemetryd", "status", "--output", "json"]);
        return status !== "" && property("MainPID") !== before;
      },
      `systemd: ${what}`,
      never,
    );
  const install = () => {
    const script = `cat >/telemetryd.deb && ${dpkg.join(" ")} --install /telemetryd.deb`;
    machine.run(["sh", "-c", script], readFileSync(file));
  };
  try {
    install();
    expectThat(property("ActiveState") === "inactive", "systemd: the first installation starts nothing");
    machine.run(["systemctl", "start", "telemetryd"]);
    await untilReady("telemetryd runs, and responds to `telemetryd status`");
    const first = property("MainPID");
    const status = machine.run(["cat", `/proc/${first}/status`]);
    const hasNothing = /^NoNewPrivs:\s1$/m.test(status) && /^CapBnd:\s0+$/m.test(status);
    const user = machine.run(["ps", "-o", "user=", "-p", first]).trim();
    expectThat(
      user.startsWith("teleme") && hasNothing,
      "systemd: as its own user, without capabilities",
      status,
    );
    machine.run(["sh", "-c", "echo '# edited' >>/etc/telemetryd/telemetryd.yaml"]);
    machine.run(["systemctl", "reload", "telemetryd"]);
    expectThat(property("MainPID") === first, "systemd: a reload restarts nothing");
    machine.run(["systemctl", "kill", "--signal", "SIGKILL", "telemetryd"]);
    await untilReady("after kill -9 it is started again", first);
    const second = property("MainPID");
    install();
    await untilReady("an upgrade restarts it", second);
    machine.run(["systemctl", "stop", "telemetryd"]);
    expectThat(property("Result") === "success", "systemd: a stop is no failure", property("Result"));
    machine.run([
      "sh",
      "-c",
      "echo 'x: y' >>/etc/telemetryd/telemetryd.yaml; systemctl start telemetryd || true",
    ]);
    await until(
      async () => property("ActiveState") === "failed",
      "systemd: a wrong configuration fails, once",
      never,
    );
    expectThat(property("NRestarts") === "0", "systemd: it is not tried again", property("NRestarts"));
    const journal = machine.run(["journalctl", "--unit", "telemetryd", "--no-pager", "--lines", "20"]);
    expectThat(/\bx\b/.test(journal), "systemd: the journal says what is wrong", journal);
    machine.run([...dpkg, "--purge", "telemetryd"]);
    const { length } = machine.run(["sh", "-c", "systemctl cat telemetryd 2>/dev/null || true"]);
    expectThat(length === 0, "systemd: purged, the unit is gone");
  } catch (error) {
    say(machine.run(["journalctl", "--unit", "telemetryd", "--no-pager", "--lines", "30"]));
    throw error;
  } finally {
    await machine.stop();
  }
}

function checkUpgrade(upgrade: () => void): void {
  appendFileSync(configuration, "# edited\n");
  const before = readdirSync(state);
  upgrade();
  expectThat(
    readFileSync(configuration, "utf8").endsWith("# edited\n"),
    "an upgrade keeps the edited configuration",
  );
  expectThat(
    before.every((name) => existsSync(join(state, name))),
    "an upgrade keeps the state",
  );
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
