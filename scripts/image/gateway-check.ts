import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findServers } from "../servers/find.ts";
import type { BuiltImage } from "./build-stages.ts";
import { expectThat, until } from "./checks.ts";
import { type RunningImage, runIn, startImage, statusOf } from "./running-image.ts";
import { ended } from "./stage-root.ts";

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
export async function checkGateway(image: BuiltImage, work: string): Promise<void> {
  const { status, output } = await runIn(image, ["/usr/sbin/haproxy", "-v"]);
  const [, major = 0, minor = 0] = (/^HAProxy version (\d+)\.(\d+)/.exec(output) ?? []).map(Number);
  const isNewEnough = status === 0 && (major > 2 || (major === 2 && minor >= 6));
  expectThat(isNewEnough, "HAProxy 2.6 or newer is there", output);

  mkdirSync(join(work, "redis"), { recursive: true });
  await using running = await startImage(image, configuration, join(work, "data"));
  await using _redis = await startRedisBeside(running, join(work, "redis"));
  await until(async () => running.check(["node", "-e", question]) === 0, "the gateway responds", running.end);
  const haproxy = childrenOf(running.pid).find((pid) => statusOf(pid, "Name").trim() === "haproxy");
  const users = haproxy === undefined ? [] : statusOf(haproxy, "Uid").trim().split("\t");
  const isUser = users.length === 4 && users.every((uid) => uid === image.user.split(":")[0]);
  expectThat(isUser, `HAProxy is the daemon's child, as user ${image.user}`, users.join(" "));
  await running.stop();
}

/** A Redis on the loopback of the image's program. */
async function startRedisBeside({ pid }: RunningImage, directory: string): Promise<AsyncDisposable> {
  const redis = (await findServers(["redis-server"]))["redis-server"];
  const settings = ["--bind", "127.0.0.1", "--dir", directory, "--appendonly", "yes", "--save", ""];
  const child = spawn("nsenter", ["--target", String(pid), "--net", redis.path, ...settings], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...redis.env },
  });
  const end = ended(child);
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await end;
    },
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}
