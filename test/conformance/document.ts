/** `npm run generate -- conformance`: writes the suite's tests and how they end into docs/http-proxies.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { conformanceText, documentFile, inDocument } from "./expectations.ts";

const text = readFileSync(documentFile, "utf8");
if (!inDocument.test(text)) throw new Error(`${documentFile} does not say which tests pass`);
writeFileSync(
  documentFile,
  text.replace(inDocument, () => conformanceText()),
);
