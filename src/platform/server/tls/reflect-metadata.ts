/**
 * `Reflect.getMetadata` and its companions, as far as the certificate library's dependency injection needs
 * them (Node.js does not implement this proposal). Must be imported before the library.
 */
type Table = WeakMap<object, Map<unknown, unknown>>;

const table: Table = new WeakMap();

function own(target: object): Map<unknown, unknown> {
  const known = table.get(target) ?? new Map<unknown, unknown>();
  table.set(target, known);
  return known;
}

function getMetadata(key: unknown, target: object): unknown {
  for (let each: object | null = target; each !== null; each = Object.getPrototypeOf(each) as object | null) {
    if (table.get(each)?.has(key) === true) return own(each).get(key);
  }
  return undefined;
}

const functions = {
  getMetadata,
  getOwnMetadata: (key: unknown, target: object) => table.get(target)?.get(key),
  hasMetadata: (key: unknown, target: object) => getMetadata(key, target) !== undefined,
  hasOwnMetadata: (key: unknown, target: object) => table.get(target)?.has(key) === true,
  defineMetadata: (key: unknown, value: unknown, target: object) => void own(target).set(key, value),
  metadata: (key: unknown, value: unknown) => (target: object) => void own(target).set(key, value),
};

for (const [name, value] of Object.entries(functions)) {
  if (!(name in Reflect)) Object.defineProperty(Reflect, name, { value, configurable: true, writable: true });
}
