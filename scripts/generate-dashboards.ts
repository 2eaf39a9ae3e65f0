import { writeFileSync } from "node:fs";
import { dashboardFiles } from "./grafana/dashboards.ts";

/** Generates config/grafana from scripts/grafana. */
for (const [name, text] of Object.entries(dashboardFiles())) {
  writeFileSync(new URL(`../config/grafana/${name}`, import.meta.url), text);
}
