import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
} from "yaml";
import type { Position } from "./document.ts";
import type { DocumentPath } from "./document-path.ts";

/** The nodes of one document, and lookups by path. */
export class DocumentNodes {
  readonly #targets = new Map<Alias, Node | undefined>();
  readonly #document: Document.Parsed;
  readonly #lines: LineCounter;

  constructor(document: Document.Parsed, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  get root(): unknown {
    return this.#document.contents;
  }

  resolve(node: unknown): Node | undefined {
    if (isAlias(node)) return this.#targetOf(node);
    return isScalar(node) || isMap(node) || isSeq(node) ? node : undefined;
  }

  /** The library searches the whole document for each anchor: once per alias, not once per use. */
  #targetOf(alias: Alias): Node | undefined {
    if (!this.#targets.has(alias)) this.#targets.set(alias, alias.resolve(this.#document) ?? undefined);
    return this.#targets.get(alias);
  }

  keyName(key: unknown): string | undefined {
    const node = this.resolve(key);
    if (!isScalar(node)) return undefined;
    return typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
  }

  positionOf(path: DocumentPath): Position {
    const { node, key, complete } = this.#walk(path);
    // A missing member is reported at the name of the object that lacks it.
    return this.startOf(complete ? node : (nodeOf(key) ?? node));
  }

  keyPositionOf(path: DocumentPath): Position {
    const { node, key } = this.#walk(path);
    return this.startOf(nodeOf(key) ?? node);
  }

  sourceOf(path: DocumentPath): string | undefined {
    const { node, complete } = this.#walk(path);
    const target = complete ? this.resolve(node) : undefined;
    return isScalar(target) ? target.source : undefined;
  }

  startOf(node: Node | undefined): Position {
    return positionAt(this.#lines, node?.range?.[0] ?? this.#document.range[0]);
  }

  /** The pairs from the root to `path`, as far as they exist. */
  #walk(path: DocumentPath): { node: Node | undefined; key: unknown; complete: boolean } {
    let node = this.root;
    let key: unknown;
    for (const step of path) {
      const parent = this.resolve(node);
      let next: unknown;
      let nextKey: unknown;
      if (isSeq(parent) && typeof step === "number") next = parent.items[step];
      if (isMap(parent)) {
        const pair = parent.items.find((item) => this.keyName(item.key) === String(step));
        next = pair?.value ?? pair?.key;
        nextKey = pair?.key;
      }
      if (next === undefined || next === null) return { node: nodeOf(node), key, complete: false };
      node = next;
      key = nextKey ?? next;
    }
    return { node: nodeOf(node), key, complete: true };
  }
}

function nodeOf(value: unknown): Node | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : undefined;
}

export function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
