import { fieldPath, maxFaults } from "../api/fault-list.ts";

/** A path to an object's field. */
interface Place {
  readonly path: string;
  /** Names in an object; undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The current field, or index of the current item. */
  current: string | number;
}

/**
 * Paths of the first 100 fields that occur more than once in an object, which JSON.parse does not report.
 *
 * @param json a valid JSON text
 */
export function duplicateFields(json: string): string[] {
  const duplicates: string[] = [];
  const open: Place[] = [];
  let expectsName = false;
  for (let i = 0; i < json.length; i++) {
    const place = open.at(-1);
    switch (json[i]) {
      case '"': {
        const end = endOfText(json, i);
        if (expectsName && place?.names !== undefined) {
          const name = JSON.parse(json.slice(i, end + 1)) as string;
          if (place.names.has(name) && duplicates.length < maxFaults) {
            duplicates.push(fieldPath(place.path, name));
          }
          place.names.add(name);
          place.current = name;
          expectsName = false;
        }
        i = end;
        break;
      }
      case "{":
        open.push({ path: pathIn(place), names: new Set(), current: "" });
        expectsName = true;
        break;
      case "[":
        open.push({ path: pathIn(place), names: undefined, current: 0 });
        expectsName = false;
        break;
      case "}":
      case "]":
        open.pop();
        expectsName = false;
        break;
      case ",":
        expectsName = place?.names !== undefined;
        if (typeof place?.current === "number") place.current++;
        break;
    }
  }
  return duplicates;
}

function pathIn(place: Place | undefined): string {
  if (place === undefined) return "";
  return typeof place.current === "number"
    ? `${place.path}[${place.current}]`
    : fieldPath(place.path, place.current);
}

/** End of the double-quoted string that begins at `start`: its closing quote, or the end of the text. */
export function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (quote - first) % 2 === 1;
}
