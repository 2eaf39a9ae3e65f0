import {
  type Alias,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  parseAllDocuments,
  type ScalarTag,
} from "yaml";
import { type DocumentPath, printPath } from "./document-path.ts";
import { parsePlainJson } from "./json-source.ts";

/** Both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem extends Position {
  readonly path: string;
  readonly message: string;
  /** Set for a duplicate key; the document holds its last value. */
  readonly duplicateKey?: string | undefined;
  /** The text has more tokens than `maxTokens`. */
  readonly hasTooManyTokens?: boolean;
}

export interface YamlOptions {
  /** Parses `yes`, `no`, `on`, `off`, `y` and `n` as booleans, as YAML 1.1 and hence Kubernetes do. */
  readonly hasOldBooleans?: boolean;
  /** Limit on values, counting an alias's values at each use; default: the limit for files. */
  readonly maxValues?: number;
  /** Limit on tokens, which determine the parsing time; default: the limit for files. */
  readonly maxTokens?: number;
}

const oldBoolean: ScalarTag = {
  identify: () => false,
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

/** Maps the parts of a document to positions in its file. */
export interface YamlPlaces {
  /** Start of the value at `path`, or of its nearest existing ancestor. */
  positionOf(path: DocumentPath): Position;
  /** Start of the last name of `path`, for a member with an invalid name. */
  keyPositionOf(path: DocumentPath): Position;
  /** The text of a plain scalar as written: `1.0` where the value is 1. */
  sourceOf(path: DocumentPath): string | undefined;
}

/** One document of a file: its plain value, and its places, which may outlive it. */
export interface YamlDocument {
  readonly value: unknown;
  readonly places: YamlPlaces;
}

export interface YamlFile {
  readonly documents: readonly YamlDocument[];
  /** If not empty, the file is not usable as YAML; at most `maxProblems`. */
  readonly problems: readonly YamlProblem[];
}

/** Limits for files. A policy file of 1 MiB stays far below all of them. */
export const yamlLimits = {
  depth: 64,
  aliases: 100,
  documents: 1_000,
  tokens: 400_000,
  values: 200_000,
} as const;

/** Maximum indentation in columns. Protects the composer; the exact depth is checked later. */
const maxIndent = 256;
export const maxProblems = 20;

/**
 * Parses YAML 1.2 (hence JSON too), single or multi-document, with positions. Never throws, and takes linear
 * time for any text: constructs that would be costly are rejected with a message.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlFile {
  const json = parsePlainJson(text, yamlLimits);
  if (json !== undefined) {
    return {
      documents: [{ value: json.value, places: new DocumentPlaces(new TreeOfText(text), 0) }],
      problems: [],
    };
  }
  const costly = costProblem(text, options.maxTokens ?? yamlLimits.tokens);
  if (costly !== undefined) return { documents: [], problems: [costly] };
  const tree = new TreeOfText(text, options);
  const { composed, lines } = tree.get();
  const problems: YamlProblem[] = [];
  const documents: YamlDocument[] = [];
  for (const [index, document] of composed.entries()) {
    for (const error of document.errors) {
      problems.push({ ...positionAt(lines, error.pos[0]), path: "", message: oneLine(error.message) });
    }
    if (document.errors.length > 0) continue;
    const value = new Conversion(document, lines, problems, options.maxValues ?? yamlLimits.values).run();
    documents.push({ value, places: new DocumentPlaces(tree, index) });
  }
  return { documents, problems: firstAtEachPlace(problems).slice(0, maxProblems) };
}

interface Composed {
  readonly composed: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/**
 * The syntax tree of a file. It takes far more memory than the text and is needed again only to locate
 * something, so it may be garbage-collected and rebuilt (bench/small-policies.ts).
 */
class TreeOfText {
  readonly #text: string;
  readonly #options: YamlOptions;
  #tree: WeakRef<Composed> | undefined;

  constructor(text: string, options: YamlOptions = {}) {
    this.#text = text;
    this.#options = options;
  }

  get(): Composed {
    const known = this.#tree?.deref();
    if (known !== undefined) return known;
    const lines = new LineCounter();
    // uniqueKeys compares every key with every other; Conversion finds duplicates in linear time.
    const composed = parseAllDocuments(this.#text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      logLevel: "silent",
      customTags: (tags) => (this.#options.hasOldBooleans === true ? [oldBoolean, ...tags] : tags),
    });
    const tree = { composed: Array.from(composed as Iterable<Document.Parsed>), lines };
    this.#tree = new WeakRef(tree);
    return tree;
  }
}

class DocumentPlaces implements YamlPlaces {
  readonly #tree: TreeOfText;
  readonly #index: number;

  constructor(tree: TreeOfText, index: number) {
    this.#tree = tree;
    this.#index = index;
  }

  positionOf(path: DocumentPath): Position {
    return this.#nodes().positionOf(path);
  }

  keyPositionOf(path: DocumentPath): Position {
    return this.#nodes().keyPositionOf(path);
  }

  sourceOf(path: DocumentPath): string | undefined {
    return this.#nodes().sourceOf(path);
  }

  #nodes(): DocumentNodes {
    const { composed, lines } = this.#tree.get();
    const document = composed[this.#index];
    if (document === undefined) throw new Error("the same text has given other documents");
    return new DocumentNodes(document, lines);
  }
}

/** Further problems at the same place are consequences of the first. */
function firstAtEachPlace(problems: readonly YamlProblem[]): YamlProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ line, column }) => {
    const place = `${line}:${column}`;
    return !seen.has(place) && seen.add(place);
  });
}

/**
 * Checks the tokens alone. The composer recurses with depth (deep nesting ends the process, not just the
 * parse) and searches the document for every alias.
 */
function costProblem(text: string, maxTokens: number): YamlProblem | undefined {
  let flowDepth = 0;
  let aliases = 0;
  let documents = 0;
  let tokens = 0;
  let line = 1;
  let column = 1;
  for (const token of new Lexer().lex(text)) {
    const type = CST.tokenType(token);
    let message: string | undefined;
    if (type === "flow-map-start" || type === "flow-seq-start") flowDepth++;
    else if (type === "flow-map-end" || type === "flow-seq-end") flowDepth = Math.max(0, flowDepth - 1);
    else if (type === "alias") aliases++;
    else if (type === "doc-start") documents++;
    const opensBlock = type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind";
    if (flowDepth > yamlLimits.depth || (opensBlock && flowDepth === 0 && column > maxIndent)) {
      message = `is nested too deeply; at most ${yamlLimits.depth} levels are read`;
    } else if (aliases > yamlLimits.aliases) {
      message = `has more than ${yamlLimits.aliases} aliases (*name); write the values out`;
    } else if (documents > yamlLimits.documents) {
      message = `holds more than ${yamlLimits.documents} documents; split the file`;
    } else if (++tokens > maxTokens) {
      message = `holds more than ${maxTokens} tokens; split the file`;
    }
    if (message !== undefined) {
      return { line, column, path: "", message, hasTooManyTokens: tokens > maxTokens };
    }
    const lastBreak = token.lastIndexOf("\n");
    if (lastBreak < 0) column += token.length;
    else {
      column = token.length - lastBreak;
      line += token.split("\n").length - 1;
    }
  }
  return undefined;
}

/** The nodes of one document, and lookups by path. */
class DocumentNodes {
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

/**
 * Converts the composer's nodes to plain values. Not the library's conversion, because messages about
 * duplicates, cycles and depth need a position.
 */
class Conversion {
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

function nodeOf(value: unknown): Node | undefined {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : undefined;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
