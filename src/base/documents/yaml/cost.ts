import { CST, Lexer } from "yaml";
import { type YamlProblem, yamlLimits } from "./document.ts";

/** Maximum indentation in columns. Protects the composer; the exact depth is checked later. */
const maxIndent = 256;

/**
 * Checks the tokens alone. The composer recurses with depth (deep nesting ends the process, not just the
 * parse) and searches the document for every alias.
 */
export function costProblem(text: string, maxTokens: number): YamlProblem | undefined {
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
