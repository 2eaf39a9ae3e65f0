import type { FidelityCase } from "./case.ts";
import { documentCases } from "./document-cases.ts";
import { listTypeCases } from "./list-type-cases.ts";
import { schemaCases } from "./schema-cases.ts";

/** Every case there is; a new table is one line here. */
export const fidelityCases: readonly FidelityCase[] = [...schemaCases, ...listTypeCases, ...documentCases];
