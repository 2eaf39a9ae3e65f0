/**
 * Server-side apply as its documentation describes it, written down over a flat list of fields: what tests
 * hold src/platform/server/apply to. Nothing here knows of trees, schemas or field sets.
 *
 * A field is named as conflicts name it: `.text`, `.map.a`, `.set[="a"]`, `.items[name="a"].size`. An item of
 * a list is a field itself. Maps and lists are not; empty ones are left to structured-merge-diff.test.ts.
 */
export interface Thing {
  readonly text?: string;
  readonly count?: number;
  readonly map?: Readonly<Record<string, string>>;
  readonly set?: readonly string[];
  /** Replaced whole. */
  readonly list?: readonly string[];
  /** Replaced whole. */
  readonly atom?: Readonly<Record<string, string>>;
  readonly items?: readonly ThingItem[];
}

export interface ThingItem {
  readonly name: string;
  readonly size?: number;
  readonly tags?: readonly string[];
}

/** The fields of a thing with their values as JSON; an item has no value but its fields. */
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
  for (const { name, size, tags = [] } of thing.items ?? []) {
    const item = itemField(name);
    fields.set(item, "").set(`${item}.name`, JSON.stringify(name));
    if (size !== undefined) fields.set(`${item}.size`, JSON.stringify(size));
    for (const tag of tags) fields.set(`${item}.tags[="${tag}"]`, "");
  }
  return fields;
}

/** The item that a field is, or is a part of. */
export function itemOf(field: string): string | undefined {
  return /^\.items\[[^\]]*\]/.exec(field)?.[0];
}

/** What `manager` has in conflict with the fields: other managers' fields, with other values. */
export function conflictsOf(model: Model, manager: string, wanted: Fields): string[] {
  return [...model.owned]
    .filter(([other]) => other !== manager)
    .flatMap(([other, fields]) => [...fields].map((field) => ({ other, field })))
    .filter(({ field }) => wanted.has(field) && wanted.get(field) !== model.fields.get(field))
    .map(({ other, field }) => `${other} ${field}`)
    .sort();
}

/**
 * An apply without conflicts, or with force: the manager owns what it applies, and nothing else. Others lose
 * what gets another value. A field that the manager owned, does not apply and shares with nobody goes.
 */
export function applied(model: Model, manager: string, wanted: Fields): Model {
  const before = model.owned.get(manager) ?? new Set();
  const isTaken = (field: string) => wanted.has(field) && wanted.get(field) !== model.fields.get(field);
  const others = [...model.owned].filter(([name]) => name !== manager);
  const isShared = (field: string) => others.some(([, fields]) => fields.has(field));
  const dropped = new Set([...before].filter((field) => !wanted.has(field) && !isShared(field)));
  const isGone = (field: string): boolean => {
    // An item goes with all that is in it, even what others have changed there without owning the item.
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

/** An ordinary write: its manager alone owns what it changes, nobody what it removes. */
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

/** Who owns nothing is no manager. */
function withFields(owned: readonly (readonly [string, ReadonlySet<string>])[]): Model["owned"] {
  return new Map([...new Map(owned)].filter(([, fields]) => fields.size > 0));
}
