import { applyClientScenarios } from "./apply-client-scenarios.ts";
import { applyFaultScenarios } from "./apply-fault-scenarios.ts";
import { applyScenarios } from "./apply-scenarios.ts";
import type { FidelityCase } from "./case.ts";
import { documentCases } from "./document-cases.ts";
import { httpCases } from "./http-cases.ts";
import { listTypeCases } from "./list-type-cases.ts";
import { casesOf } from "./scenario.ts";
import { schemaCases } from "./schema-cases.ts";
import { writeScenarios } from "./write-scenarios.ts";

/** All cases; add new tables here. */
export const fidelityCases: readonly FidelityCase[] = [
  ...schemaCases,
  ...listTypeCases,
  ...documentCases,
  ...[...applyScenarios, ...applyClientScenarios, ...applyFaultScenarios, ...writeScenarios].flatMap(casesOf),
  ...httpCases,
];
