import type { KindDefinition } from "../api/kind.ts";
import { qualifiedPlural } from "../api/status.ts";
import { parseObjectKey } from "./keys.ts";
import type { RunOnPlane } from "./page.ts";
import { pageScript } from "./read-scripts.ts";
import { parseStored } from "./stored-object.ts";
import { countedField, countsOf, type Usage } from "./usage.ts";
import { setUsageScript } from "./write-scripts.ts";

const maxAttempts = 20;
const objectsAtOnce = 500;
const bytesAtOnce = 1024 * 1024;

/**
 * Counts the contents of a plane that was written when other resources were counted. Reads it in parts, and
 * restarts after a concurrent write.
 */
export async function countPlane(
  run: RunOnPlane,
  kinds: readonly KindDefinition[],
  resources: readonly string[],
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const counted = await readUsage(run, kinds, resources);
    if (counted === undefined) return;
    const args = [countedField(resources), counted.version, JSON.stringify(counted.usage)];
    if ((await run(setUsageScript, args)) === 1) return;
  }
  throw new Error("what is in the control plane could not be counted: it is written to all the time");
}

/** @returns undefined if there is no such plane */
async function readUsage(
  run: RunOnPlane,
  kinds: readonly KindDefinition[],
  resources: readonly string[],
): Promise<{ readonly version: string; readonly usage: Usage } | undefined> {
  const usage = Object.fromEntries(resources.map((resource) => [resource, 0]));
  let version = "";
  for (let from = "-"; ; ) {
    const reply = await run(pageScript, [from, "+", objectsAtOnce, "", "", bytesAtOnce]);
    const [outcome, newest, , flat, , last] = reply as [string, string, number, string[], string[], string];
    if (outcome !== "ok") return undefined;
    // Keep the version of the first part: a write in between is detected when the counts are set.
    version ||= newest;
    for (let index = 0; index + 1 < flat.length; index += 2) {
      const [key = "", json = ""] = flat.slice(index, index + 2);
      const counts = { objects: 1, bytes: Buffer.byteLength(json), ...kindCounts(key, json, kinds) };
      for (const [resource, count] of Object.entries(counts))
        usage[resource] = (usage[resource] ?? 0) + count;
    }
    if (last === "") return { version, usage };
    from = `(${last}`;
  }
}

function kindCounts(key: string, json: string, kinds: readonly KindDefinition[]): Usage {
  const { resource } = parseObjectKey(key);
  const kind = kinds.find((each) => qualifiedPlural(each) === resource);
  return kind?.counts === undefined ? {} : countsOf(kind, undefined, parseStored(json));
}
