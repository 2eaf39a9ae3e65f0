import { readFileSync, writeFileSync } from "node:fs";
import { licencesDocument, productionDependencies } from "./release/licences.ts";

/** Generates docs/third-party-licences.md from package-lock.json. */
const lock = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"));
writeFileSync(
  new URL("../docs/third-party-licences.md", import.meta.url),
  licencesDocument(productionDependencies(lock)),
);
