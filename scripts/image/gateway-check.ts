import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startChild } from "../servers/child.ts";
import type { RunningEngine } from "../servers/engine.ts";
import { findServers } from "../servers/find.ts";
import { expectThat, until } from "./checks.ts";
import { type RunningImage, startImage, statusOf } from "./running-image.ts";

const configuration = `platform:
  listen: 127.0.0.1:8081
gateway:
  listen: 127.0.0.1:8082
  tlsListen: 127.0.0.1:8443
redis:
  url: redis://127.0.0.1:6379
state:
  directory: /data
`;
/** Ends with 0 where the gateway responds as it does to a host that it does not know. */
const question = `fetch("http://127.0.0.1:8082/").then(
  async (response) => process.exit(response.status === 404 && (await response.text()) === "no such host\\n" ? 0 : 1),
  () => process.exit(1),
)`;

/** Checks that the image has HAProxy, and that its daemon runs it, as the image's user. @param work an empty folder */
export async function checkGateway(docker: RunningEngine, image: string, work: string): Promise<void> {
  const version = ["run", "--rm", "--network", "none", "--entrypoint", "haproxy", image, "-v"];
  const output = await docker.cli(...version);
  const [, major = 0, minor = 0] = (/^HAProxy version (\d+)\.(\d+)/.exec(output) ?? []).map(Number);
  expectThat(major > 2 || (major === 2 && minor >= 6), "HAProxy 2.6 or newer is there", output);

  const redis = join(work, "redis");
  mkdirSync(redis, { recursive: true });
  const files = { "telemetryd.yaml": configuration };
  await using running = await startImage(docker, image, files, join(work, "settings"));
  await using _redis = await startRedisBeside(running, redis);
  const responds = async (): Promise<boolean> => (await running.exec("node", "-e", question)) === 0;
  await until(responds, "the gateway responds", running.end);
  const haproxy = childrenOf(running.pid).find((pid) => statusOf(pid, "Name").trim() === "haproxy");
  const users = haproxy === undefined ? [] : statusOf(haproxy, "Uid").trim().split("\t");
  const isUser = users.length === 4 && users.every((uid) => uid === "1000");
  expectThat(isUser, "HAProxy is the daemon's child, as user 1000", users.join(" "));
  await running.stop();
}

/** A Redis on the loopback of the image's program. */
async function startRedisBeside({ pid }: RunningImage, directory: string): Promise<AsyncDisposable> {
  const redis = (await findServers(["redis-server"]))["redis-server"];
  const settings = ["--bind", "127.0.0.1", "--dir", directory, "--appendonly", "yes", "--save", ""];
  const child = await startChild({
    ...{ name: "redis-server", program: "nsenter", env: redis.env },
    args: ["--target", String(pid), "--net", redis.path, ...settings],
  });
  return { [Symbol.asyncDispose]: async () => void (await child.kill()) };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}
