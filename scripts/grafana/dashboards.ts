import { exportsDashboard } from "./exports-dashboard.ts";
import { platformDashboard } from "./platform-dashboard.ts";
import { roadmapDashboard } from "./roadmap-dashboard.ts";

/** The files of config/grafana, by name. */
export function dashboardFiles(): Readonly<Record<string, string>> {
  const print = (board: object): string => `${JSON.stringify(board, undefined, 2)}\n`;
  return {
    "exports.json": print(exportsDashboard()),
    "platform.json": print(platformDashboard()),
    "roadmap-and-queues.json": print(roadmapDashboard()),
  };
}
