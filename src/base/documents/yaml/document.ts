import type { DocumentPath } from "./document-path.ts";

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
  /** Takes every scalar as text, as it is written: `007` is not a number. */
  readonly isTextOnly?: boolean;
  /** Limit on values, counting an alias's values at each use; default: the limit for files. */
  readonly maxValues?: number;
  /** Limit on tokens, which determine the parsing time; default: the limit for files. */
  readonly maxTokens?: number;
}

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

/** Maximum number of problems reported of one file. */
export const maxProblems = 20;
