import type { Json, KubeObject } from "./object.ts";
import type { Schema } from "./schema.ts";
import type { FieldError, ResourceName } from "./status.ts";

/** The two types of control plane, each with its own kinds. */
export type PlaneType = "organization" | "project";

/** A kind among the kinds of all groups. */
export type GroupKind = Pick<KindDefinition, "group" | "kind" | "storedAs">;

/** Reads the other objects of one control plane. */
export interface ObjectReader {
  /** Undefined if there is none. */
  get(kind: KindDefinition, namespace: string, name: string): Promise<KubeObject | undefined>;
  /**
   * The objects in the order of their keys, read part by part.
   *
   * @param namespace undefined for all namespaces
   */
  each(kind: KindDefinition, namespace?: string): AsyncIterable<KubeObject>;
  /**
   * All of {@link each}, for kinds that have few and small objects.
   *
   * @throws StatusError 413 beyond 4 MiB
   */
  list(kind: KindDefinition, namespace?: string): Promise<KubeObject[]>;
}

/**
 * The complete definition of one kind of object. Each kind is one file in this folder; paths, discovery,
 * OpenAPI, tables, defaults, validation, patches and watches derive from it.
 */
export interface KindDefinition extends ResourceName {
  /** Empty for core kinds. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly planes: readonly PlaneType[];
  /** Format of `metadata.name`: an RFC 1123 subdomain or label. */
  readonly nameRule: "subdomain" | "label";
  /** Length of `metadata.name`, where it is less than {@link nameRule} permits. */
  readonly maxNameLength?: number;
  /**
   * Built-in kinds accept strategic merge patches and have no generation unless {@link hasGeneration} is set;
   * custom kinds are the opposite.
   */
  readonly builtIn: boolean;
  /** A built-in kind with a generation. */
  readonly hasGeneration?: true;
  /** Its objects hold secrets: viewers do not read them, and each read is audited. */
  readonly confidential?: true;
  /** Whether `status` is writable only through `/status`. */
  readonly statusSubresource: boolean;
  /**
   * Who writes `/status` beside the server's own controllers: admins, for what controllers of theirs report;
   * or providers, for what they provide. Absent: nobody.
   */
  readonly statusWriters?: "members" | "providers";
  /** What providers do with its objects besides reading. Absent: they update those whose status they write. */
  readonly providerVerbs?: readonly string[];
  /** Its objects write logs, which are read as `/log`, and which the provider that runs them sends. */
  readonly logs?: ObjectLogs;
  /** Fields other than apiVersion, kind and metadata. */
  readonly schema: Schema;
  /**
   * Columns of `kubectl get`. Name is the first and Age the last one, unless {@link nameColumn} is among
   * them: then these are all; {@link ageColumn} may stand elsewhere.
   */
  readonly columns: readonly PrinterColumn[];
  /** Fields available to field selectors, besides metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Completes an object before validation; may modify it in place. `old` is absent on creation. */
  prepare?(object: KubeObject, old: KubeObject | undefined): void;
  /** Finalizers that only the server's own controllers may remove, after completing their work. */
  readonly serverFinalizers?: readonly string[];
  /** Finalizers that only providers add and remove; other writes leave them as they are. */
  readonly providerFinalizers?: readonly string[];
  /**
   * What of a status only the server's own controllers may write, such as addresses: others write the rest of
   * it, and nobody is to take an address by writing it down.
   */
  assigned?(status: Json | undefined): Json;
  /**
   * Its objects are the projects, which the server finds by their names: these are unique across all
   * organizations, and written with the same commit.
   */
  readonly claimsName?: true;
  /** Deleted only after the others, when a namespace or a project goes: they need it until they are gone. */
  readonly deletedLast?: true;
  /** Whether its collections cannot be deleted with one request, as in Kubernetes. */
  readonly deletedOneByOne?: true;
  /** Names of objects that cannot be deleted. */
  readonly undeletable?: readonly string[];
  /** `validate` reports errors in `spec` itself; they replace those of the schema. */
  readonly checksOwnSpec?: boolean;
  /** Warnings about valid but questionable values; clients display them. */
  warn?(object: KubeObject): string[];
  /**
   * An object's contribution to the control plane's counts, by names of the server's `countedResources`; the
   * object is stored, hence valid.
   */
  counts?(object: KubeObject): Readonly<Record<string, number>>;
  /** Validation beyond the schema. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
  /**
   * Validation against other objects of the control plane, on creation, update and dry run; only of an object
   * that {@link validate} finds valid.
   */
  admit?(object: KubeObject, old: KubeObject | undefined, reader: ObjectReader): Promise<FieldError[]>;
  /**
   * What an object depends on, by which controllers find it: keys of objects (see `objectKey`), or other
   * words without spaces.
   */
  references?(object: KubeObject): readonly string[];
  /** Keys of the objects that stay while this one exists, if their kind is {@link usedBy} this one. */
  uses?(object: KubeObject): readonly string[];
  /**
   * Kinds whose objects use this one's. An object in use that is deleted gets the finalizer, and stays until
   * nothing uses it any more.
   */
  readonly usedBy?: { readonly finalizer: string; readonly kinds: readonly KindDefinition[] };
  /**
   * The kind of another group or version under which the objects are stored: both then serve the same
   * objects, each with its own apiVersion. Both have the same `kind` and scope, and the same schema unless
   * there is a {@link conversion}.
   */
  readonly storedAs?: KindDefinition;
  /**
   * Between the fields of the stored kind and those of this one; apiVersion apart, which is set afterwards.
   */
  readonly conversion?: {
    toServed(stored: KubeObject): KubeObject;
    toStored(served: KubeObject): KubeObject;
  };
  /**
   * The objects of every plane of a type, where they are part of the program: clients only read them.
   *
   * @param createdAt when the plane was created (RFC 3339)
   */
  fixedObjects?(plane: PlaneType, createdAt: string): readonly KubeObject[];
}

/** The logs of an object. */
export interface ObjectLogs {
  /** Parts with a log of their own; none: it has one log without a name. */
  containers(object: KubeObject): readonly string[];
  /** Identity of the provider that runs the object; undefined while none does. */
  provider(object: KubeObject): string | undefined;
}

/** A column of the server-side table (meta/v1 TableColumnDefinition). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly description: string;
  /** 0: always shown; 1: only with `-o wide`. */
  readonly priority: 0 | 1;
  /** The field of {@link value}, for a CustomResourceDefinition; absent where it is no field. */
  readonly jsonPath?: string;
  /** Null shows an empty cell; a list is shown as JSON (`["IPv4"]`), as in the tables of CRDs. */
  value(object: KubeObject): string | number | boolean | null | readonly string[];
}

/** The place of the Name column. */
export const nameColumn: PrinterColumn = {
  name: "Name",
  type: "string",
  description: "Name must be unique within a namespace.",
  priority: 0,
  value: (object) => object.metadata.name ?? "",
};

/** The place of the Age column. */
export const ageColumn: PrinterColumn = {
  name: "Age",
  type: "date",
  description: "How long ago the object was created.",
  priority: 0,
  jsonPath: ".metadata.creationTimestamp",
  value: (object) => object.metadata.creationTimestamp ?? null,
};

/** What clients may do with the objects of a kind. */
export function verbsOf(kind: Pick<KindDefinition, "fixedObjects" | "deletedOneByOne">): readonly string[] {
  if (kind.fixedObjects !== undefined) return ["get", "list", "watch"];
  const all = kind.deletedOneByOne === true ? [] : ["deletecollection"];
  return ["create", "delete", ...all, "get", "list", "patch", "update", "watch"];
}

/** How one object of a kind is called in a sentence, a command or a path. */
export function singularOf({ kind }: Pick<KindDefinition, "kind">): string {
  return kind.toLowerCase();
}

/** Whether two kinds have the same objects. */
export function isSameKind(left: GroupKind, right: GroupKind): boolean {
  const [a, b] = [left.storedAs ?? left, right.storedAs ?? right];
  return a.kind === b.kind && a.group === b.group;
}

/** The kind under which the objects of a kind are stored: itself, unless another group's or version's. */
export function storedKind<K extends Pick<KindDefinition, "storedAs">>(kind: K): K | KindDefinition {
  return kind.storedAs ?? kind;
}

/** Whether `metadata.generation` counts the changes of the kind's objects. */
export function hasGeneration(kind: KindDefinition): boolean {
  return !kind.builtIn || kind.hasGeneration === true;
}

/** `v1`, `telemetry.example/v1alpha1`. */
export function apiVersionOf(kind: Pick<KindDefinition, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}
