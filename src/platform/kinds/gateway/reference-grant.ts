import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { declaredInProjects } from "../declared-in-projects.ts";
import type { NamespacedName } from "../references.ts";

const names = {
  group: "gateway.networking.k8s.io",
  version: "v1",
  kind: "ReferenceGrant",
  plural: "referencegrants",
} as const;

const group = { ...textField("Group of the kind; empty for the core group."), maxLength: 253 };
const kind = { ...textField("The kind."), minLength: 1, maxLength: 63 };

/** 1 to 16 entries. */
function entries(description: string, items: Schema): Schema {
  return atomicList(items, description, { minItems: 1, maxItems: 16 });
}

const description =
  "ReferenceGrant permits objects of other namespaces to name objects of its own in their specs.";

/** Permits references from other namespaces (Gateway API). */
export const referenceGrantKind: KindDefinition = {
  ...names,
  ...declaredInProjects,
  statusSubresource: false,
  shortNames: ["refgrant"],
  categories: ["gateway-api"],
  schema: objectField(description, [], {
    spec: objectField("Who may name what.", ["from", "to"], {
      from: entries(
        "The objects with the references.",
        listItem(["group", "kind", "namespace"], {
          group,
          kind,
          namespace: { ...textField("Their namespace."), minLength: 1, maxLength: 63 },
        }),
      ),
      to: entries(
        "The objects that may be named, of the grant's namespace.",
        listItem(["group", "kind"], {
          group,
          kind,
          name: { ...textField("Name of the object. Defaults to all."), minLength: 1, maxLength: 253 },
        }),
      ),
    }),
  }),
  columns: [ageColumn],
};

/** The reference to all grants of a namespace. */
export function grantsIn(namespace: string): string {
  return objectKey(names, namespace, "*");
}

/** References to the grants that an object needs for others that it names. */
export function grantsFor(object: KubeObject, named: readonly NamespacedName[]): string[] {
  const others = named.filter(({ namespace }) => namespace !== object.metadata.namespace);
  return [...new Set(others.map(({ namespace }) => grantsIn(namespace)))];
}

interface Referring {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
}

/** An object that is named from another namespace, or from its own. */
interface Referent extends Referring {
  readonly name: string;
}

/** As many grants count for one gateway. */
export const maxGrants = 100;

/** What some ReferenceGrants permit. */
export class Granted {
  readonly grants: readonly KubeObject[];
  readonly #permitted = new Set<string>();

  /** @param grants at most {@link maxGrants} */
  constructor(grants: readonly KubeObject[]) {
    this.grants = grants;
    for (const grant of grants) {
      const { namespace = "" } = grant.metadata;
      for (const from of objectsIn(fieldAt(grant, ["spec", "from"]))) {
        for (const { group, kind, name = "" } of objectsIn(fieldAt(grant, ["spec", "to"])))
          this.#permitted.add(keyOf(from, { group, kind, namespace, name }));
      }
    }
  }

  /** Whether an object may name another one: without a grant, in its own namespace only. */
  permits(from: Referring, to: Referent): boolean {
    if (from.namespace === to.namespace) return true;
    return this.#permitted.has(keyOf(from, to)) || this.#permitted.has(keyOf(from, { ...to, name: "" }));
  }
}

type Fields<T> = { readonly [K in keyof T]?: unknown };

function keyOf(from: Fields<Referring>, to: Fields<Referent>): string {
  return JSON.stringify([from.group, from.kind, from.namespace, to.group, to.kind, to.namespace, to.name]);
}

/** Whether a grant is for objects of some namespaces. */
export function isGrantFor(grant: KubeObject, namespaces: ReadonlySet<string>): boolean {
  return objectsIn(fieldAt(grant, ["spec", "from"])).some(({ namespace }) =>
    namespaces.has(String(namespace)),
  );
}
