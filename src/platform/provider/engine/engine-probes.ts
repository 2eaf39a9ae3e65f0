import { readFile } from "node:fs/promises";
import { sleep } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import { createdObject, inspectedExec, readResponse } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import { Probes } from "./probes/probes.ts";

/** Of what a command writes to its standard error; its standard output is not read. */
const maxErrorBytes = 65_536;
/** Pause between two looks at a command that has not ended. */
const lookAgainMs = 250;

/** Probes of an engine's containers. */
export function openProbes(
  { client, clock, graceMs }: Pick<EngineParts, "client" | "clock" | "graceMs">,
  log: Logger,
  onChange: (uid: string) => void,
): Probes {
  /** The last command of each container that had not ended when it was left. */
  const left = new Map<string, string>();
  const look = async (execution: string, signal: AbortSignal) =>
    readResponse(inspectedExec, await client.send("GET", `/exec/${execution}/json`, {}, signal));
  const isRunning = async (execution: string, signal: AbortSignal): Promise<boolean> => {
    const found = await look(execution, signal).catch(() => undefined);
    // Nor does it see the end of one that it is not attached to any longer.
    return found?.Running === true && (await isProcess(found.Pid ?? 0));
  };
  return new Probes({
    clock,
    log,
    onChange,
    async exec(id, command, signal) {
      const before = left.get(id);
      // One that hangs would otherwise become many.
      while (before !== undefined && (await isRunning(before, signal))) await sleep(lookAgainMs, signal);
      // Podman 4.3 does not see the end of a command that it is not attached to.
      const body = { Cmd: command, AttachStdout: false, AttachStderr: true };
      const made = await client.send("POST", `/containers/${id}/exec`, { body }, signal);
      const { Id } = readResponse(createdObject, made);
      left.set(id, Id);
      const start = { body: { Detach: false, Tty: false }, maxBytes: maxErrorBytes };
      await client.send("POST", `/exec/${Id}/start`, start, signal);
      const { Running, ExitCode } = await look(Id, signal);
      if (Running) return undefined;
      left.delete(id);
      return ExitCode ?? undefined;
    },
    async restart(id, signal) {
      left.delete(id);
      const query = { t: Math.ceil(graceMs / 1_000) };
      await client.send("POST", `/containers/${id}/restart`, { query, limitMs: graceMs + 30_000 }, signal);
    },
  });
}

/** Whether a process runs: one that nobody has waited for does not. */
async function isProcess(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name before the state may have brackets and spaces of its own.
  return state !== "" && !/^[ZX]/.test(state.slice(state.lastIndexOf(")") + 2));
}
