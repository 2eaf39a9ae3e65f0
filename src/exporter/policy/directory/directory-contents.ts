import { hash } from "node:crypto";
import { type Fault, sortFaults } from "../../../base/core/fault.ts";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import type { CheckedPolicy } from "../spec/check-policy.ts";
import type { CheckedManifest, ManifestObject, ObjectPlace } from "../spec/manifest.ts";
import type { Secret } from "../spec/types.ts";

/** State of one manifest file: its last valid contents, and the faults of its current ones. */
export interface Held {
  readonly path: string;
  readonly policies: readonly HeldPolicy[];
  readonly secrets: readonly HeldSecret[];
  readonly faults: readonly Fault[];
}

interface HeldPolicy {
  readonly checked: CheckedPolicy;
  /** Equal exactly when the specs are. */
  readonly specDigest: string;
  readonly place: ObjectPlace;
}

interface HeldSecret {
  readonly secret: Secret;
  readonly place: ObjectPlace;
}

/**
 * Extracts the parts of a manifest to keep. Its JSON is dropped, since it takes more memory than everything
 * made from it (bench/small-policies.ts).
 */
export function holdManifest(path: string, { policies, secrets, faults }: CheckedManifest): Held {
  return {
    path,
    policies: policies.map(({ checked, object }) => ({
      checked,
      specDigest: hash("sha1", canonical(object.json["spec"]), "base64"),
      place: object.place,
    })),
    secrets: secrets.map(({ secret, object }) => ({ secret, place: object.place })),
    faults,
  };
}

interface DirectoryContents {
  readonly policies: readonly CheckedPolicy[];
  readonly secrets: readonly Secret[];
  /** Faults of all files, including conflicts between files. */
  readonly faults: readonly Fault[];
  /** The conflicts among them: each leaves out an object of its file. */
  readonly conflicts: readonly Fault[];
  /** State that the next compilation needs. */
  readonly memory: ReadonlyMap<string, PolicyMemory>;
}

interface PolicyMemory {
  /** The file that defines the policy; it keeps the policy when another file defines it too. */
  readonly path: string;
  readonly specDigest: string;
  readonly generation: number;
  /** The last runnable version. */
  readonly good: CheckedPolicy | undefined;
}

/**
 * Compiles the files of a directory. A policy's generation increases when its spec changes. A policy with
 * nothing runnable keeps its last runnable version. An object defined in two files is taken from the file
 * that had it first.
 */
export function compileDirectory(
  files: readonly Held[],
  previous: DirectoryContents | undefined,
): DirectoryContents {
  const conflicts: Fault[] = [];
  const policies: CheckedPolicy[] = [];
  const memory = new Map<string, PolicyMemory>();
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const owners = (key: string) => previous?.memory.get(key)?.path;

  for (const { key, path, item } of unique(sorted, "policies", owners, conflicts)) {
    const before = previous?.memory.get(key);
    const { specDigest } = item;
    const generation =
      before === undefined ? 1 : before.generation + (before.specDigest === specDigest ? 0 : 1);
    const current = withGeneration(item.checked, generation);
    const good = current.policy === undefined ? before?.good : current;
    const policy =
      current.policy === undefined && good !== undefined
        ? { ...current, policy: good.policy, sinks: good.sinks }
        : current;
    policies.push(policy);
    memory.set(key, { path, specDigest, generation, good });
  }
  const secrets: Secret[] = [];
  for (const { key, path, item } of unique(sorted, "secrets", owners, conflicts)) {
    secrets.push(item.secret);
    memory.set(key, { path, specDigest: "", generation: 1, good: undefined });
  }
  const faults = sortFaults([...files.flatMap((file) => file.faults), ...conflicts]);
  return { policies, secrets, faults, conflicts, memory };
}

type Items<K extends "policies" | "secrets"> = Held[K][number];

/** Each policy or Secret once. A second one of the same name is a fault that names both places. */
function unique<K extends "policies" | "secrets">(
  files: readonly Held[],
  list: K,
  ownerOf: (key: string) => string | undefined,
  conflicts: Fault[],
): { key: string; path: string; item: Items<K> }[] {
  const found = new Map<string, { key: string; path: string; item: Items<K> }[]>();
  for (const file of files) {
    for (const item of file[list] as readonly Items<K>[]) {
      const key =
        "secret" in item ? objectKey("Secret", item.secret) : objectKey("ExportPolicy", item.checked.ref);
      found.set(key, [...(found.get(key) ?? []), { key, path: file.path, item }]);
    }
  }
  return [...found.values()].flatMap((candidates) => {
    const owner = ownerOf(candidates[0]?.key ?? "");
    const chosen = candidates.find((candidate) => candidate.path === owner) ?? candidates[0];
    for (const candidate of candidates) {
      if (candidate !== chosen && chosen !== undefined) conflicts.push(duplicateFault(candidate, chosen));
    }
    return chosen === undefined ? [] : [chosen];
  });
}

export interface Candidate {
  /** `ExportPolicy default/web` */
  readonly key: string;
  readonly item: { readonly place: ObjectPlace };
}

/** Identifies an object: a namespace holds one object of a kind and name. */
export function objectKey(
  kind: ManifestObject["kind"],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${kind} ${namespace}/${name}`;
}

/** The fault of an object that another file, or another document of the same file, also defines. */
export function duplicateFault(second: Candidate, first: Candidate): Fault {
  const at = first.item.place.locate(nameFault(""));
  const place = at.line === undefined ? at.file : `${at.file}:${at.line}`;
  return second.item.place.locate(nameFault(`${second.key} is in ${place} too; keep one, that one is used`));
}

function nameFault(message: string) {
  return { severity: "error", path: ["metadata", "name"], reason: "FieldValueDuplicate", message } as const;
}

function withGeneration(checked: CheckedPolicy, generation: number): CheckedPolicy {
  if (checked.generation === generation) return checked;
  const policy = checked.policy === undefined ? undefined : { ...checked.policy, generation };
  return { ...checked, generation, policy };
}

/** JSON with sorted members: equal text exactly when the values are equal. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) =>
      isObject(member)
        ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ""
  );
}
