import { parsePlainJson } from "./json-source.ts";
import { Conversion } from "./yaml/conversion.ts";
import { costProblem } from "./yaml/cost.ts";
import {
  maxProblems,
  type YamlDocument,
  type YamlFile,
  type YamlOptions,
  type YamlProblem,
  yamlLimits,
} from "./yaml/document.ts";
import { positionAt } from "./yaml/nodes.ts";
import { DocumentPlaces, TreeOfText } from "./yaml/tree.ts";

/**
 * Parses YAML 1.2 (hence JSON too), single or multi-document, with positions. Never throws, and takes linear
 * time for any text: constructs that would be costly are rejected with a message.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlFile {
  const json = options.isTextOnly === true ? undefined : parsePlainJson(text, yamlLimits);
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

/** Further problems at the same place are consequences of the first. */
function firstAtEachPlace(problems: readonly YamlProblem[]): YamlProblem[] {
  const seen = new Set<string>();
  return problems.filter(({ line, column }) => {
    const place = `${line}:${column}`;
    return !seen.has(place) && seen.add(place);
  });
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
