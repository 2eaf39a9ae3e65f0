import { defined } from "../../../base/core/defined.ts";
import { type Fault, isError } from "../../../base/core/fault.ts";
import { suggestion } from "../../../base/documents/closest.ts";
import { show } from "../../../base/documents/schema-issue.ts";
import type { YamlDocument, YamlPlaces } from "../../../base/documents/yaml/document.ts";
import { type DocumentPath, isObject, printPath } from "../../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";
import { type CheckedPolicy, checkExportPolicy, type PolicyCheckOptions } from "./check-policy.ts";
import type { DocumentFault } from "./document-fault.ts";
import { checkSecret } from "./secret.ts";
import type { Secret } from "./types.ts";

export const maxManifestBytes = 1024 * 1024;

/** One object of a manifest file: a document, or an item of a List. */
export interface ManifestObject {
  readonly kind: "ExportPolicy" | "Secret";
  readonly json: Readonly<Record<string, unknown>>;
  readonly place: ObjectPlace;
}

export interface Manifest {
  readonly objects: readonly ManifestObject[];
  readonly faults: readonly Fault[];
  /** False if the text is not YAML or cannot be interpreted; the file's previous contents should stay. */
  readonly readable: boolean;
}

/** Splits a manifest file into objects: YAML with one or several documents, JSON, kind List. Never throws. */
export function readManifest(text: string, file: string): Manifest {
  if (Buffer.byteLength(text) > maxManifestBytes) {
    const message = "is larger than 1 MiB; split the file";
    return { objects: [], faults: [{ severity: "error", file, path: "", message }], readable: false };
  }
  const yaml = parseYaml(text);
  const reader = new ManifestReader(file);
  for (const document of yaml.documents) reader.readDocument(document);
  const problems = yaml.problems.map((problem): Fault => ({ severity: "error", file, ...problem }));
  const faults = [...problems, ...reader.faults];
  return { objects: reader.objects, faults, readable: !faults.some((fault) => fault.severity === "error") };
}

/** Place of an object in its file. It is kept while the file is unchanged; the object's JSON is not. */
export class ObjectPlace {
  readonly #file: string;
  readonly #places: YamlPlaces;
  /** The object's index in its list, if it is in one. */
  readonly #item: string | number | undefined;

  constructor(file: string, places: YamlPlaces, path: DocumentPath) {
    this.#file = file;
    this.#places = places;
    this.#item = path[1];
  }

  /** Adds the object's file and place to a fault. */
  locate(fault: DocumentFault): Fault {
    const path = this.#item === undefined ? fault.path : ["items", this.#item, ...fault.path];
    return {
      severity: fault.severity,
      file: this.#file,
      ...(fault.atName ? this.#places.keyPositionOf(path) : this.#places.positionOf(path)),
      path: printPath(path),
      message: fault.message,
      excerpt: fault.excerpt,
    };
  }
}

class ManifestReader {
  readonly objects: ManifestObject[] = [];
  readonly faults: Fault[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  readDocument(document: YamlDocument): void {
    // A lone `---` leaves an empty document.
    if (document.value !== null) this.#read(document.value, document, [], undefined);
  }

  /** @param itemOf the kind and apiVersion that an item without its own inherits from its list */
  #read(
    value: unknown,
    document: YamlDocument,
    base: DocumentPath,
    itemOf: { readonly kind: string; readonly apiVersion: unknown } | undefined,
  ): void {
    if (!isObject(value)) {
      this.#report("error", document, base, `must be an object with apiVersion and kind, not ${show(value)}`);
      return;
    }
    const kind = value["kind"] ?? itemOf?.kind;
    const apiVersion = value["apiVersion"] ?? itemOf?.apiVersion;
    if (typeof kind !== "string") {
      this.#report("error", document, [...base, "kind"], "is required: ExportPolicy, Secret or List");
      return;
    }
    if (kind.endsWith("List") && itemOf === undefined) {
      this.#readList(value["items"], document, { kind: kind.slice(0, -"List".length), apiVersion });
      return;
    }
    if (kind === "ExportPolicy" || kind === "Secret") {
      const json = defined({ ...value, kind, apiVersion });
      this.objects.push({ kind, json, place: new ObjectPlace(this.#file, document.places, base) });
      return;
    }
    const hint = suggestion(kind, ["ExportPolicy", "Secret", "List"]);
    const ours = hint !== "" || String(apiVersion).startsWith("telemetry.");
    if (ours) {
      this.#report(
        "error",
        document,
        [...base, "kind"],
        `must be ExportPolicy, Secret or List, not ${show(kind)}${hint}`,
      );
    } else {
      this.#report(
        "warning",
        document,
        [...base, "kind"],
        `${show(kind)} is of no use here; the object is passed over`,
      );
    }
  }

  #readList(items: unknown, document: YamlDocument, itemOf: { kind: string; apiVersion: unknown }): void {
    if (!Array.isArray(items)) {
      this.#report("error", document, ["items"], "must be a list of objects");
      return;
    }
    // Items of kind List state their own kind; those of ExportPolicyList may inherit it.
    const inherited = itemOf.kind === "" ? { kind: "", apiVersion: undefined } : itemOf;
    for (const [index, item] of items.entries()) {
      const own = isObject(item) && inherited.kind === "" && item["kind"] === undefined;
      if (own)
        this.#report("error", document, ["items", index, "kind"], "is required: ExportPolicy or Secret");
      else this.#read(item, document, ["items", index], inherited);
    }
  }

  #report(severity: Fault["severity"], document: YamlDocument, path: DocumentPath, message: string): void {
    this.faults.push({
      severity,
      file: this.#file,
      ...document.places.positionOf(path),
      path: printPath(path),
      message,
    });
  }
}

export interface CheckedManifest {
  readonly policies: readonly { readonly checked: CheckedPolicy; readonly object: ManifestObject }[];
  readonly secrets: readonly { readonly secret: Secret; readonly object: ManifestObject }[];
  /** Faults of the file and of everything in it. */
  readonly faults: readonly Fault[];
  /** The errors among them that leave an object out, so that no policy's conditions show them. */
  readonly lost: readonly Fault[];
  readonly readable: boolean;
}

/** Reads and checks a manifest file. Never throws. */
export function checkManifest(text: string, file: string, options: PolicyCheckOptions): CheckedManifest {
  const manifest = readManifest(text, file);
  const faults: Fault[] = [...manifest.faults];
  const lost = [...manifest.faults];
  const policies: { checked: CheckedPolicy; object: ManifestObject }[] = [];
  const secrets: { secret: Secret; object: ManifestObject }[] = [];
  for (const object of manifest.objects) {
    if (object.kind === "Secret") {
      const { secret, faults: found } = checkSecret(object.json, options.plane);
      const located = found.map((fault) => object.place.locate(fault));
      faults.push(...located);
      if (secret !== undefined) secrets.push({ secret, object });
      else lost.push(...located);
    } else {
      const { checked, faults: found } = checkExportPolicy(object.json, options);
      const located = found.map((fault) => object.place.locate(fault));
      faults.push(...located);
      if (checked !== undefined) policies.push({ checked, object });
      else lost.push(...located);
    }
  }
  return { policies, secrets, faults, lost: lost.filter(isError), readable: manifest.readable };
}
