import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { publishedJsonSchema, renewKeyTables } from "../src/app/config/reference.ts";

/** Generates the JSON Schema and the tables of docs/configuration.md from src/app/config/schema.ts. */
const schemaFile = new URL("../config/telemetryd.schema.json", import.meta.url);
const documentFile = new URL("../docs/configuration.md", import.meta.url);

writeFileSync(schemaFile, JSON.stringify(publishedJsonSchema(), null, 2));
execFileSync("npx", ["biome", "format", "--write", schemaFile.pathname], { stdio: "inherit" });
writeFileSync(documentFile, renewKeyTables(readFileSync(documentFile, "utf8")));
