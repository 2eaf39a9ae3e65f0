import { z } from "zod";
import {
  duration,
  flag,
  httpUrl,
  integer,
  list,
  listen,
  optionalFile,
  requiredInteger,
  requiredPath,
  requiredText,
} from "./fields.ts";
import { error, given, type Root, type RuleFault } from "./rules.ts";

export const roadmap = z
  .strictObject({
    board: z
      .strictObject({
        organization: requiredText("Organization that owns the board"),
        number: requiredInteger("Number of the board", 1, 2 ** 31),
        apiUrl: httpUrl("API of the code-hosting service").prefault("https://api.github.com"),
        tokenFile: optionalFile("Access token"),
        app: z
          .strictObject({
            id: requiredInteger("The app's id", 1, Number.MAX_SAFE_INTEGER),
            installationId: requiredInteger("The id of its installation", 1, Number.MAX_SAFE_INTEGER),
            privateKeyFile: requiredPath("The app's private key (PEM)", "file"),
          })
          .meta({ description: "Authentication as an app, instead of a token" })
          .optional(),
        webhook: z
          .strictObject({
            secretFile: requiredPath("The webhook's secret, at least 16 bytes", "file"),
          })
          .meta({ description: "Webhooks of the code-hosting service, which start a refresh" })
          .optional(),
      })
      .meta({ description: "Project board on the code-hosting service" })
      .optional(),
    file: optionalFile("A JSON file instead of the board; watched"),
    statuses: list("Statuses that are shown, in this order", requiredText("A status"), [
      "In progress",
      "Planned",
      "Backlog",
    ]),
    refreshInterval: duration("How often the backlog is fetched", "30m", { min: "1s", max: "24h" }),
  })
  .meta({ description: "The roadmap's cache" });

export const api = z
  .strictObject({
    listen: listen("Address of the website API", "127.0.0.1:8080"),
    rateLimit: z
      .strictObject({
        limit: integer("Requests of one client in a window", 60, 1, 1_000_000_000),
        window: duration("Length of the window, whole seconds", "60s", { min: "1s", max: "24h" }),
      })
      .meta({ description: "Rate limit per client address" })
      .prefault({}),
    trustProxy: flag("Take the client's address from X-Forwarded-For"),
  })
  .meta({ description: "The website API" });

export function roadmapRules(root: Root): RuleFault[] {
  if (!given(root, ["roadmap"])) {
    if (!given(root, ["api"])) return [];
    return [error(["api"], "needs the section roadmap: it has nothing else to serve")];
  }
  const faults: RuleFault[] = [];
  const [board, file] = [given(root, ["roadmap", "board"]), given(root, ["roadmap", "file"])];
  if (board && file)
    faults.push(error(["roadmap", "file"], "cannot be given together with roadmap.board; keep one"));
  if (!board && !file) faults.push(error(["roadmap"], "needs board or file: where the backlog comes from"));
  if (board) {
    const token = given(root, ["roadmap", "board", "tokenFile"]);
    const app = given(root, ["roadmap", "board", "app"]);
    if (token && app) {
      faults.push(
        error(["roadmap", "board", "tokenFile"], "cannot be given together with roadmap.board.app; keep one"),
      );
    }
    if (!token && !app)
      faults.push(error(["roadmap", "board"], "needs tokenFile or app: boards are read with credentials"));
    if (given(root, ["roadmap", "board", "webhook"]) && !given(root, ["api"])) {
      faults.push(
        error(["roadmap", "board", "webhook"], "needs the section api: webhooks arrive at its address"),
      );
    }
  }
  return faults;
}
