/**
 * Server-side apply as its documentation describes it, over a flat list of fields: the reference for tests of
 * src/kube-server/apply. It has no trees, schemas or field sets.
 *
 * A field is named as in conflicts: `.text`, `.map.a`, `.set[="a"]`, `.items[name="a"].size`. A list item is
 * itself a field. Maps and lists are not; empty ones are covered by structured-merge-diff.test.ts.
 */
export interface Thing {
  readonly text?: string;
  readonly count?: number;
  readonly map?: Readonly<Record<string, string>>;
  readonly set?: readonly string[];
  /** Replaced as a whole. */
  readonly list?: readonly string[];
  /** Replaced as a whole. */
  readonly atom?: Readonly<Record<string, string>>;
  readonly items?: readonly ThingItem[];
}

export interface ThingItem {
  readonly name: string;
  readonly size?: number;
  readonly tags?: readonly string[];
}

/** Fields with their values as JSON; an item has no value of its own. */
export type Fields = ReadonlyMap<string, string>;

export interface Model {
  readonly fields: Fields;
  /** The fields of each manager by its name. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
}

export const nothing: Model = { fields: new Map(), owned: new Map() };

export const itemField = (name: string): string => `.items[name="${name}"]`;

export function fieldsOfThing(thing: Thing): Fields {
  const fields = new Map<string, string>();
  if (thing.text !== undefined) fields.set(".text", JSON.stringify(thing.text));
  if (thing.count !== undefined) fields.set(".count", JSON.stringify(thing.count));
  for (const [key, value] of Object.entries(thing.map ?? {}))
    fields.set(`.map.${key}`, JSON.stringify(value));
  for (const each of thing.set ?? []) fields.set(`.set[="${each}"]`, "");
  if (thing.list !== undefined) fields.set(".list", JSON.stringify(thing.list));
  if (thing.atom !== undefined) fields.set(".atom", JSON.stringify(Object.entries(thing.atom).sort()));
  for (const { name, size, tags } of thing.items ?? []) {
    const item = itemField(name);
    fields.set(item, "").set(`${item}.name`, JSON.stringify(name));
    if (size !== undefined) fields.set(`${item}.size`, JSON.stringify(size));
    // A list that an apply has emptied is null.
    for (const tag of tags ?? []) fields.set(`${item}.tags[="${tag}"]`, "");
  }
  return fields;
}

/** The item that a field is or belongs to. */
export function itemOf(field: string): string | undefined {
  return /^\.items\[[^\]]*\]/.exec(field)?.[0];
}

/** Conflicts of `manager` with the wanted fields: fields of other managers with different values. */
export function conflictsOf(model: Model, manager: string, wanted: Fields): string[] {
  return [...model.owned]
    .filter(([other]) => other !== manager)
    .flatMap(([other, fields]) => [...fields].map((field) => ({ other, field })))
    .filter(({ field }) => wanted.has(field) && wanted.get(field) !== model.fields.get(field))
    .map(({ other, field }) => `${other} ${field}`)
    .sort();
}

/**
 * An apply without conflicts, or with force: the manager owns exactly what it applies. Others lose ownership
 * of fields with a changed value. Fields that only this manager owned and no longer applies are removed.
 */
export function applied(model: Model, manager: string, wanted: Fields): Model {
  const before = model.owned.get(manager) ?? new Set();
  const isTaken = (field: string) => wanted.has(field) && wanted.get(field) !== model.fields.get(field);
  const others = [...model.owned].filter(([name]) => name !== manager);
  const isShared = (field: string) => others.some(([, fields]) => fields.has(field));
  const dropped = new Set([...before].filter((field) => !wanted.has(field) && !isShared(field)));
  const isGone = (field: string): boolean => {
    // An item is removed with its contents, including fields changed by others who do not own the item.
    const item = itemOf(field);
    return dropped.has(field) || (item !== undefined && dropped.has(item));
  };
  const left = [...model.fields].filter(([field]) => !isGone(field));
  const remaining = others.map(([name, fields]) => {
    return [name, without(fields, (field) => isTaken(field) || isGone(field))] as const;
  });
  return {
    fields: new Map([...left, ...wanted]),
    owned: withFields([...remaining, [manager, new Set(wanted.keys())]]),
  };
}

/** An update: its manager becomes the only owner of changed fields; removed fields have no owner. */
export function updated(model: Model, manager: string, next: Fields): Model {
  const isChanged = (field: string) => next.get(field) !== model.fields.get(field);
  const changed = [...next.keys()].filter(isChanged);
  const owned = new Map(
    [...model.owned].map(([name, fields]) => [name, without(fields, isChanged)] as const),
  );
  const own = new Set([...(owned.get(manager) ?? []), ...changed]);
  return { fields: next, owned: withFields([...owned, [manager, own]]) };
}

function without(fields: ReadonlySet<string>, isOut: (field: string) => boolean): ReadonlySet<string> {
  return new Set([...fields].filter((field) => !isOut(field)));
}

/** Drops managers without fields. */
function withFields(owned: readonly (readonly [string, ReadonlySet<string>])[]): Model["owned"] {
  return new Map([...new Map(owned)].filter(([, fields]) => fields.size > 0));
}
