import { afterAll, beforeAll, expect } from "vitest";
import { allProcesses } from "../../scripts/servers/process-table.ts";
import { sleep } from "../../src/base/core/clock.ts";

/** Resources that would keep a process alive; a test file must not leave any behind. */
export interface Holdings {
  /** Node's names of the resources that keep the event loop alive ("TCPServerWrap"), with their number. */
  readonly resources: ReadonlyMap<string, number>;
  /** Running children of this process, by pid. */
  readonly children: ReadonlyMap<number, string>;
}

export function currentHoldings(): Holdings {
  const resources = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) resources.set(name, (resources.get(name) ?? 0) + 1);
  const children = new Map<number, string>();
  for (const entry of allProcesses()) {
    if (entry.parentPid === process.pid && !entry.isZombie) children.set(entry.pid, entry.command);
  }
  return { resources, children };
}

/** One line for each new resource. */
export function leaksSince(before: Holdings, now: Holdings): string[] {
  const leaks: string[] = [];
  for (const [name, count] of now.resources) {
    const more = count - (before.resources.get(name) ?? 0);
    if (more > 0) leaks.push(`${more} x ${name}`);
  }
  for (const [pid, command] of now.children) {
    if (!before.children.has(pid)) leaks.push(`process ${pid}: ${command}`);
  }
  return leaks;
}

const settleLimitMs = 5000;

/**
 * Fails a test file that leaves a child process, a socket that listens or is open, or a timer, or during which
 * Node.js warns of a leak of listeners. Listed in `setupFiles`, it wraps the whole file: its first hook runs
 * first, its last one last.
 */
export function checkLeaks(): void {
  let before: Holdings | undefined;
  const warnings = new Set<string>();
  // Those of an AbortSignal that `fetch` has are gone with the next collection of garbage.
  const onWarning = ({ name, message }: Error): void => {
    if (name === "MaxListenersExceededWarning" && message.includes("EventEmitter")) warnings.add(message);
  };
  beforeAll(() => {
    before = currentHoldings();
    process.on("warning", onWarning);
  });
  afterAll(async () => {
    process.off("warning", onWarning);
    expect([...warnings], "what Node.js warned of during this test file").toEqual([]);
    if (before === undefined) return;
    const deadlineMs = performance.now() + settleLimitMs;
    // Closing takes a turn or two of the event loop, idle connections of fetch a second.
    for (;;) {
      await sleep(20, new AbortController().signal);
      const leaks = leaksSince(before, currentHoldings());
      if (leaks.length === 0) return;
      if (performance.now() > deadlineMs) {
        expect(leaks, "left behind by this test file").toEqual([]);
        return;
      }
    }
  });
}

checkLeaks();
