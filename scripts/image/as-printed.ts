import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startChild } from "../servers/child.ts";
import { startDocker } from "../servers/docker.ts";
import { findServers } from "../servers/find.ts";
import { expectThat, until } from "./checks.ts";

/**
 * `tsx scripts/image/as-printed.ts FILE`, in a network namespace of its own: what docs/getting-started-sidecar.md says
 * of containers, as printed, with the image that is saved in FILE. Beside it run the store and a receiver.
 */
const guide = readFileSync(resolve(import.meta.dirname, "../../docs/getting-started-sidecar.md"), "utf8");
const [image = ""] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), "telemetryd-as-printed-"));

try {
  await run();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const [settings, policy] = [
    block(guide, "yaml"),
    block(guide.slice(guide.indexOf("Write a policy")), "yaml"),
  ];
  mkdirSync(join(work, "policies"));
  writeFileSync(join(work, "telemetryd.yaml"), settings);
  const receiver = "host.docker.internal:9090";
  writeFileSync(join(work, "policies/node.yaml"), policy.replace("prometheus.example.com:9090", receiver));

  await using docker = await startDocker();
  await docker.cli("load", "--input", image);
  await using store = await startVictoriaMetrics(8428);
  await using _receiver = await startVictoriaMetrics(9090);
  const write = setInterval(() => void store.write('up{job="node"} 1\n'), 1_000);
  const command = block(guide.slice(guide.indexOf("## In a container")), "sh").replace(
    /^docker build .*\n/,
    "",
  );
  const child = await startChild({
    name: "docker run",
    program: "sh",
    args: ["-c", command],
    env: docker.env,
    cwd: work,
  });
  try {
    const page = "http://127.0.0.1:9464/api/v1/status";
    const isDelivered = async (): Promise<boolean> =>
      /"delivered":[1-9]/.test(await (await fetch(page)).text());
    const end = child.exited.then(() => child.log());
    await until(isDelivered, "docker run, as the guide prints it, delivers samples", end, 120_000);
  } finally {
    clearInterval(write);
    for (const id of (await docker.cli("ps", "--quiet")).split("\n").filter(Boolean))
      await docker.cli("stop", id);
  }
  expectThat((await child.exited).code === 0, "docker stop ends it with 0", child.log());
}

/** The first block of a language, without the indentation of a list. */
function block(text: string, language: string): string {
  const found = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\``, "m").exec(text);
  const [, indentation = "", lines = ""] = found ?? [];
  return lines.replaceAll(new RegExp(`^${indentation}`, "gm"), "");
}

/** One that the containers reach, too. */
async function startVictoriaMetrics(
  port: number,
): Promise<{ write(lines: string): Promise<unknown> } & AsyncDisposable> {
  const program = (await findServers(["victoria-metrics"]))["victoria-metrics"];
  const args = [`-httpListenAddr=:${port}`, `-storageDataPath=${join(work, String(port))}`];
  const child = await startChild({ name: "victoria-metrics", program: program.path, args, env: program.env });
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/health`)).ok, `a store listens on ${port}`, child.exited);
  return {
    write: (body) =>
      fetch(`${url}/api/v1/import/prometheus`, { method: "POST", body }).catch(() => undefined),
    [Symbol.asyncDispose]: async () => void (await child.kill()),
  };
}
