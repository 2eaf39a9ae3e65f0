import { writeFileSync } from "node:fs";
import { dashboardFiles } from "./grafana/dashboards.ts";

/** Renews config/grafana from scripts/grafana. */
for (const [name, text] of Object.entries(dashboardFiles())) {
  writeFileSync(new URL(`../config/grafana/${name}`, import.meta.url), text);
}
