/**
 * `npm run prove -- compute-faults`: whatever is killed, in the end what runs equals what is declared. Workloads of
 * some projects are declared, changed, deleted and tampered with at random, while the daemon, the provider, the
 * container engine and Redis are killed with `kill -9`, by a random schedule that a seed reproduces. No container
 * is there twice at any moment.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import {
  choiceOption,
  flagOption,
  numberOption,
  seedOption,
  type ValuesOf,
} from "../../scripts/run/options.ts";
import { isListening } from "../../scripts/servers/free-port.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { describeError } from "../../src/base/core/errors.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { organizationBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { runProof } from "../support/proof.ts";
import {
  type RunningEngine,
  randomWideRange,
  requireEngine,
  startEngine,
} from "../support/provider/engine.ts";
import { seededRandom } from "../support/random.ts";
import { until } from "../support/until.ts";
import { images } from "./compute/declared-project.ts";
import {
  declaredDifferences,
  engineDifferences,
  leftovers,
  overlaps,
  type ProjectState,
  sharedAddresses,
  stateOf,
  unwantedProjects,
  withLostAddress,
} from "./compute/differences.ts";
import { type EngineContents, engineContents, twins } from "./compute/engine-contents.ts";
import { PersistentClient } from "./compute/persistent-client.ts";
import { type TroubledProcess, troubleProcess } from "./compute/process-troubles.ts";
import { RandomEdits } from "./compute/random-edits.ts";
import { removeStaleBridges } from "./compute/stale-bridges.ts";

const options = {
  seconds: numberOption(300, "how long everything is changed and killed"),
  provider: choiceOption(["engine", "emulated"], "containers of Podman (needs root), or none"),
  "spare-engine": flagOption(
    "does not kill the container engine, which Podman 4 may not recover from by itself",
  ),
  seed: seedOption(),
};
type ComputeFaultArguments = ValuesOf<typeof options>;

/** Everything is as declared this long after the last step and kill, and gone this long after the removal. */
const settleLimitMs = 200_000;
const sampleEveryMs = 1_000;
// A shell passes no signal on: without the trap, the end of each container takes the whole grace period.
const serve = "httpd -f -p 8080 -h /www & trap 'exit 0' TERM; wait";
const rest = "trap 'exit 0' TERM; sleep 100000 & wait";

const startMs = performance.now();
function print(text: string): void {
  console.log(`${((performance.now() - startMs) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

/** The parts of a run. */
interface Parts {
  readonly platform: TestPlatform;
  readonly podman: RunningEngine | undefined;
  readonly processes: readonly (readonly [process: TroubledProcess, pauseMs: readonly [number, number]])[];
}

async function start(
  { provider, "spare-engine": sparesEngine }: ComputeFaultArguments,
  folder: string,
  releasers: Releasers,
): Promise<Parts> {
  await ensureBuilt(new AbortController().signal, () => console.log("building telemetryd"));
  let podman: RunningEngine | undefined;
  if (provider === "engine") {
    await requireEngine();
    const running = await startEngine({ logFile: join(folder, "podman.log") });
    podman = running;
    releasers.push(() => running[Symbol.asyncDispose]());
    await podman.image(images.web, { command: serve });
    await podman.image(images.side, { command: rest });
  }
  let server: RunningDaemon | undefined;
  const platform = await startTestPlatform(
    {},
    silentLogger,
    async ({ listen, stateDirectory }, redisUrl) => {
      const started = await spawnDaemon({
        directory: join(folder, "platform"),
        config: {
          platform: { listen: `${listen.host}:${listen.port}` },
          redis: { url: redisUrl },
          state: { directory: stateDirectory },
        },
      });
      server = started;
      await until("the platform listens", () => isListening(listen.port));
      return async () => {
        if (started.child.exit() === undefined) await endDaemon(started);
      };
    },
    ["--appendfsync", "always"],
  );
  releasers.push(() => platform.stop());

  const accessTokenFile = join(folder, "token");
  await writeFile(accessTokenFile, platform.providerToken);
  let providerDaemon: RunningDaemon | undefined;
  const startProvider = async (): Promise<void> => {
    providerDaemon = await spawnDaemon({
      directory: join(folder, "provider"),
      config: {
        controlPlane: {
          apiUrl: platform.url,
          organization: "acme",
          accessTokenFile,
          caFile: join(platform.stateDirectory, "platform", "ca.crt"),
        },
        state: { directory: join(folder, "provider", "state") },
        provider: {
          kind: provider,
          cloudProjectId: "local",
          ...(podman === undefined ? { emulated: { step: "200ms" } } : { engine: { socket: podman.socket } }),
        },
      },
    });
  };
  await startProvider();
  releasers.push(async () => {
    if (providerDaemon !== undefined) await endDaemon(providerDaemon);
  });

  const { redis } = platform;
  // After a kill, the server's next process leads only when the lease of the killed one has run out (10 s).
  const processes: Parts["processes"][number][] = [
    [{ name: "the server", kill: () => killed(server), start: () => platform.restart() }, [8_000, 30_000]],
    [{ name: "the provider", kill: () => killed(providerDaemon), start: startProvider }, [4_000, 25_000]],
    [{ name: "Redis", kill: () => redis.kill(), start: () => redis.restart() }, [6_000, 30_000]],
  ];
  if (podman !== undefined && !sparesEngine) {
    const { kill, restart } = podman;
    processes.push([{ name: "the engine", kill, start: restart }, [4_000, 25_000]]);
  }
  return { platform, podman, processes };
}

/** @throws if it has ended by itself */
async function killed(daemon: RunningDaemon | undefined): Promise<void> {
  const exit = daemon?.child.exit();
  if (exit !== undefined) throw new Error(`telemetryd ended by itself, with ${exit.signal ?? exit.code}`);
  await daemon?.child.kill();
}

async function run(args: ComputeFaultArguments, folder: string, releasers: Releasers): Promise<boolean> {
  const { platform, podman, processes } = await start(args, folder, releasers);
  const organization = new PersistentClient(platform, organizationBase("acme"));
  const ipv4Range = randomWideRange();
  const clearBridges = async (): Promise<void> => {
    const stale = podman === undefined ? [] : await removeStaleBridges(podman, ipv4Range);
    if (stale.length > 0) print(`Podman has left the bridges ${stale.join(" and ")}, which are removed`);
  };
  const edits = new RandomEdits({
    ...{ platform, organization, print, ipv4Range },
    random: seededRandom(args.seed),
  });
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), args.seconds * 1000);
  const parts = [
    edits.run(end.signal).then(() => undefined),
    ...processes.map(async ([process, pauseMs], index) => {
      const random = seededRandom(args.seed + 1 + index);
      const kills = await troubleProcess(process, { pauseMs, random, print }, end.signal);
      return `${kills} kills of ${process.name}`;
    }),
  ];
  // A failing part ends the others.
  for (const part of parts) part.catch(() => end.abort());
  const sampling = new AbortController();
  const sampled = podman === undefined ? Promise.resolve([]) : sampleTwins(podman, sampling.signal);
  let isGood = true;
  try {
    const kills = (await Promise.all(parts)).filter((text) => text !== undefined);
    const steps = [...edits.counts].map(([kind, count]) => `${count} × ${kind}`);
    print(`over: ${steps.join(", ")}; ${kills.join(", ")}`);
    const contents = async (): Promise<EngineContents | undefined> =>
      podman && (await engineContents(podman));
    isGood = await settled("as declared", async () => {
      const states = await Promise.all(edits.projects.map(stateOf));
      await clearBridges();
      for (const state of states) await restoreAddresses(state);
      const held = await contents();
      const declared = edits.projects.map(({ name }) => name);
      const projects = await organization.list("project");
      return {
        compared: countOf(states, held),
        differences: [
          ...unwantedProjects(projects, declared),
          ...states.flatMap(declaredDifferences),
          ...sharedAddresses(states),
          ...overlaps(states),
          ...(held === undefined ? [] : await engineDifferences(states, held)),
        ],
      };
    });
    await edits.removeAll();
    const isGone = await settled("gone", async () => {
      const [projects, held] = [await organization.list("project"), await contents()];
      const differences = [...unwantedProjects(projects, []), ...(held === undefined ? [] : leftovers(held))];
      return { compared: "nothing is left", differences };
    });
    isGood = isGone && isGood;
  } finally {
    clearTimeout(timer);
    sampling.abort();
    await clearBridges();
    for (const title of new Set(await sampled)) {
      console.log(`TWICE container ${title}`);
      isGood = false;
    }
  }
  return isGood;
}

/** Does what an operator does when Podman has lost an address. */
async function restoreAddresses(state: ProjectState): Promise<void> {
  const names = withLostAddress(state);
  if (names.length === 0) return;
  const { name } = state.project;
  print(`${name}: Podman has lost the address of ${names.join(" and ")}; its workloads are declared again`);
  await state.project.declareAnew();
}

function countOf(states: readonly ProjectState[], held: EngineContents | undefined): string {
  const count = (kind: keyof ProjectState["objects"]) =>
    states.reduce((sum, { objects }) => sum + objects[kind].length, 0);
  const kinds = (["workload", "deployment", "instance", "subnet"] as const).map(
    (kind) => `${count(kind)} ${kind}s`,
  );
  return [...kinds, ...(held === undefined ? [] : [`${held.containers.length} containers`])].join(", ");
}

/** Titles of containers that were there twice at some moment. */
async function sampleTwins(podman: RunningEngine, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  while (!signal.aborted) {
    // The command line may not answer while the engine is killed.
    found.push(...(await twins(podman).catch(() => [])));
    await sleep(sampleEveryMs, signal).catch(() => undefined);
  }
  return found;
}

/** What was compared: counts for people, and each difference as a sentence. */
interface Comparison {
  readonly compared: string;
  readonly differences: readonly string[];
}

/** Waits until nothing differs, and prints what does in the end. @returns whether nothing does */
async function settled(what: string, compare: () => Promise<Comparison>): Promise<boolean> {
  const sinceMs = performance.now();
  let last: Comparison = { compared: "nothing", differences: [] };
  try {
    await until(
      `everything is ${what}`,
      async () => {
        last = await compare();
        if (last.differences.length > 0) await sleep(1_000, new AbortController().signal);
        return last.differences.length === 0;
      },
      settleLimitMs,
    );
    const seconds = Math.round((performance.now() - sinceMs) / 1000);
    print(`everything is ${what}, after ${seconds} s: ${last.compared}`);
    return true;
  } catch (error) {
    for (const text of last.differences) console.log(`DIFFERENT ${text}`);
    console.log(describeError(error));
    return false;
  }
}

await runProof({
  name: "compute-faults",
  about: `Declares workloads in some projects and changes them at random while the daemon, its provider, the container engine and
Redis are killed with kill -9. Then compares what is declared with what runs, removes everything, and looks for leftovers.`,
  options,
  limitMs: ({ seconds }) => seconds * 1000 + 2 * settleLimitMs + 240_000,
  run: (args, { folder, releasers }) => run(args, folder, releasers),
});
