import type { KindDefinition } from "../api/kind.ts";
import { qualifiedPlural } from "../api/status.ts";
import { parseObjectKey } from "./keys.ts";
import { pageScript } from "./read-scripts.ts";
import { parseStored } from "./stored-object.ts";
import { addUsage, countedResources, countsOf, noUsage, type Usage } from "./usage.ts";
import { setUsageScript } from "./write-scripts.ts";

/** Runs one of the store's scripts on a plane. */
export type RunOnPlane = (script: string, args: readonly (string | number)[]) => Promise<unknown>;

const maxAttempts = 20;
const objectsAtOnce = 500;
const bytesAtOnce = 1024 * 1024;

/**
 * Counts the contents of a plane that an older version of the program has written. Reads it in parts, and
 * restarts after a concurrent write.
 */
export async function countPlane(run: RunOnPlane, kinds: readonly KindDefinition[]): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const counted = await readUsage(run, kinds);
    if (counted === undefined) return;
    const counts = countedResources.map((resource) => counted.usage[resource]);
    if ((await run(setUsageScript, [counted.version, ...counts])) === 1) return;
  }
  throw new Error("what is in the control plane could not be counted: it is written to all the time");
}

/** @returns undefined if there is no such plane */
async function readUsage(
  run: RunOnPlane,
  kinds: readonly KindDefinition[],
): Promise<{ readonly version: string; readonly usage: Usage } | undefined> {
  let usage = noUsage;
  let version = "";
  for (let from = "-"; ; ) {
    const reply = await run(pageScript, [from, "+", objectsAtOnce, "", "", bytesAtOnce]);
    const [outcome, newest, , flat, , last] = reply as [string, string, number, string[], string[], string];
    if (outcome !== "ok") return undefined;
    // Keep the version of the first part: a write in between is detected when the counts are set.
    version ||= newest;
    for (let index = 0; index + 1 < flat.length; index += 2) {
      const [key = "", json = ""] = flat.slice(index, index + 2);
      usage = addUsage(usage, {
        objects: 1,
        bytes: Buffer.byteLength(json),
        ...kindCounts(key, json, kinds),
      });
    }
    if (last === "") return { version, usage };
    from = `(${last}`;
  }
}

function kindCounts(key: string, json: string, kinds: readonly KindDefinition[]): Partial<Usage> {
  const { resource } = parseObjectKey(key);
  const kind = kinds.find((each) => qualifiedPlural(each) === resource);
  return kind?.counts === undefined ? {} : countsOf(kind, undefined, parseStored(json));
}
