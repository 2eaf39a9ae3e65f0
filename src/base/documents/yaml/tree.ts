import { type Document, LineCounter, parseAllDocuments, type ScalarTag } from "yaml";
import type { Position, YamlOptions, YamlPlaces } from "./document.ts";
import type { DocumentPath } from "./document-path.ts";
import { DocumentNodes } from "./nodes.ts";

const oldBoolean: ScalarTag = {
  identify: () => false,
  default: true,
  tag: "tag:yaml.org,2002:bool",
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

interface Composed {
  readonly composed: readonly Document.Parsed[];
  readonly lines: LineCounter;
}

/**
 * The syntax tree of a file. It takes far more memory than the text and is needed again only to locate
 * something, so it may be garbage-collected and rebuilt (bench/small-policies.ts).
 */
export class TreeOfText {
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
      ...(this.#options.isTextOnly === true && { schema: "failsafe" }),
      customTags: (tags) => (this.#options.hasOldBooleans === true ? [oldBoolean, ...tags] : tags),
    });
    const tree = { composed: Array.from(composed as Iterable<Document.Parsed>), lines };
    this.#tree = new WeakRef(tree);
    return tree;
  }
}

/** The places of one document of a file. */
export class DocumentPlaces implements YamlPlaces {
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
