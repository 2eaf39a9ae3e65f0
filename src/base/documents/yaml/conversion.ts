import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { type YamlProblem, yamlLimits } from "./document.ts";
import { type DocumentPath, printPath } from "./document-path.ts";
import { DocumentNodes } from "./nodes.ts";

/**
 * Converts the composer's nodes to plain values. Not the library's conversion, because messages about
 * duplicates, cycles and depth need a position.
 */
export class Conversion {
  readonly #nodes: DocumentNodes;
  readonly #problems: YamlProblem[];
  /** Anchored nodes being converted: an alias to one of them would recurse forever. */
  readonly #open = new Set<Node>();
  readonly #maxValues: number;
  #values = 0;

  constructor(document: Document.Parsed, lines: LineCounter, problems: YamlProblem[], maxValues: number) {
    this.#nodes = new DocumentNodes(document, lines);
    this.#problems = problems;
    this.#maxValues = maxValues;
  }

  run(): unknown {
    return this.#convert(this.#nodes.root, []);
  }

  #convert(node: unknown, path: DocumentPath): unknown {
    const target = this.#nodes.resolve(node);
    if (target === undefined) {
      if (isAlias(node)) this.#report(path, `the alias *${node.source} has no anchor before it`);
      return null;
    }
    if (++this.#values === this.#maxValues) this.#report(path, "holds too many values, aliases counted");
    if (this.#values >= this.#maxValues) return null;
    if (path.length > yamlLimits.depth) {
      this.#report(path, `is nested too deeply; at most ${yamlLimits.depth} levels are read`);
      return null;
    }
    if (isScalar(target)) return flat(target.value) ?? null;
    if (this.#open.has(target)) {
      this.#report(path, "is an alias inside of its own anchor");
      return null;
    }
    this.#open.add(target);
    try {
      if (isSeq(target)) return target.items.map((item, index) => this.#convert(item, [...path, index]));
      return isMap(target) ? this.#convertMap(target.items, path) : null;
    } finally {
      this.#open.delete(target);
    }
  }

  #convertMap(pairs: readonly { key: unknown; value: unknown }[], path: DocumentPath): unknown {
    const members = new Map<string, unknown>();
    for (const { key, value } of pairs) {
      const name = this.#nodes.keyName(key);
      if (name === undefined) {
        this.#report(path, "a key must be plain text", key);
        continue;
      }
      if (members.has(name)) this.#report([...path, name], "is written twice; keep one", key, name);
      members.set(name, this.#convert(value, [...path, name]));
    }
    // fromEntries defines members; assignment would call the setter of "__proto__".
    return Object.fromEntries(members);
  }

  #report(path: DocumentPath, message: string, at?: unknown, duplicateKey?: string): void {
    const position = isScalar(at) || isMap(at) || isSeq(at) ? this.#nodes.startOf(at) : undefined;
    this.#problems.push({
      ...(position ?? this.#nodes.positionOf(path)),
      path: printPath(path),
      message,
      duplicateKey,
    });
  }
}

/**
 * Flattens a string. The parser assembles quoted text by character, which V8 keeps as a large tree until the
 * text is first read as a whole (bench/small-policies.ts).
 */
function flat(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const copy = Buffer.from(value).toString();
  // The copy loses a lone surrogate, which an escape can produce.
  return copy === value ? copy : value;
}
