import { z } from "zod";
import type { Backlog } from "../board/backlog.ts";

/** The board that webhooks are about. */
export interface WebhookBoard {
  readonly organization: string;
  readonly number: number;
}

/** The meaning of an event; a `change` may have changed the page. */
export type WebhookMeaning = "ping" | "ignored" | "change";

/** A part that is missing, or not of the documented form, decides nothing: the event may then be a change. */
const optionalPart = <T extends z.ZodType>(part: T) => part.optional().catch(undefined);
const place = optionalPart(z.object({ html_url: z.string() }));

const payloadSchema = z.object({
  action: optionalPart(z.string()),
  organization: optionalPart(z.object({ login: z.string() })),
  repository: place,
  issue: place,
  pull_request: place,
  installation: optionalPart(z.object({ account: z.object({ login: z.string() }) })),
  projects_v2: optionalPart(z.object({ number: z.int() })),
  projects_v2_item: optionalPart(z.object({ project_node_id: z.string() })),
  changes: optionalPart(
    z.object({
      title: z.unknown().optional(),
      field_value: optionalPart(
        z.object({ project_number: optionalPart(z.int()), field_name: optionalPart(z.string()) }),
      ),
    }),
  ),
});

type Payload = z.infer<typeof payloadSchema>;

/** The board's fields that the page shows. */
const shownFields: ReadonlySet<string> = new Set(["Status", "Title", "Labels", "Repository"]);
const issueActions: ReadonlySet<string> = new Set([
  "edited",
  "labeled",
  "unlabeled",
  "transferred",
  "deleted",
]);
const labelActions: ReadonlySet<string> = new Set(["edited", "deleted"]);
/** They change links, or what the token may see. */
const repositoryActions: ReadonlySet<string> = new Set([
  "renamed",
  "transferred",
  "deleted",
  "privatized",
  "publicized",
]);

/**
 * Decides whether an event may have changed what the page shows.
 *
 * @param event the X-GitHub-Event header
 * @param payload the body, parsed
 * @param backlog the cached one. Events of issues, pull requests and labels do not name boards: they matter
 *   only where it has their items. (An item that has just been put on the board has an event of its own.)
 * @returns undefined when the payload is not an object
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function meaningOf(
  event: string,
  payload: unknown,
  board: WebhookBoard,
  backlog: Backlog | undefined,
): WebhookMeaning | undefined {
  const { data } = payloadSchema.safeParse(payload);
  if (data === undefined) return undefined;
  if (event === "ping") return "ping";
  return mayChange(event, data, board, backlog) ? "change" : "ignored";
}

function mayChange(
  event: string,
  payload: Payload,
  board: WebhookBoard,
  backlog: Backlog | undefined,
): boolean {
  const { action = "" } = payload;
  switch (event) {
    case "projects_v2":
      return isOurs(payload, board) && isSame(payload.projects_v2?.number, board.number);
    case "projects_v2_item":
      return isOurs(payload, board) && isItemOf(payload, board, backlog);
    case "issues":
      return issueActions.has(action) && isShownPart(payload) && isListed(payload.issue, backlog);
    case "pull_request":
      return issueActions.has(action) && isShownPart(payload) && isListed(payload.pull_request, backlog);
    case "label":
      return labelActions.has(action) && hasItems(payload.repository, backlog);
    case "installation":
    case "installation_repositories":
      // They take items out of the token's view, or bring some back.
      return isSame(payload.installation?.account.login.toLowerCase(), board.organization.toLowerCase());
    case "repository":
      return repositoryActions.has(action) && isOurs(payload, board);
    default:
      return false;
  }
}

function isSame<T>(named: T | undefined, wanted: T | undefined): boolean {
  return named === undefined || wanted === undefined || named === wanted;
}

function isOurs({ organization }: Payload, board: WebhookBoard): boolean {
  // Logins are case-insensitive.
  return isSame(organization?.login.toLowerCase(), board.organization.toLowerCase());
}

function isItemOf(payload: Payload, board: WebhookBoard, backlog: Backlog | undefined): boolean {
  const { action, projects_v2_item: item, changes } = payload;
  const node = item?.project_node_id;
  // Ids of an older form cannot be compared with those of the API.
  if (node?.startsWith("PVT_") && !isSame(node, backlog?.meta.boardNode)) return false;
  if (action === "reordered") return false;
  const { project_number: number, field_name: field } = changes?.field_value ?? {};
  return (
    isSame(number, board.number) && (action !== "edited" || field === undefined || shownFields.has(field))
  );
}

/** Of edits, those of the title; texts are not shown. */
function isShownPart({ action, changes }: Payload): boolean {
  return action !== "edited" || changes === undefined || changes.title !== undefined;
}

function isListed(item: Payload["issue"], backlog: Backlog | undefined): boolean {
  if (item === undefined || backlog === undefined) return true;
  return backlog.items.some(({ url }) => url === item.html_url);
}

function hasItems(repository: Payload["repository"], backlog: Backlog | undefined): boolean {
  if (repository === undefined || backlog === undefined) return true;
  const start = `${repository.html_url}/`;
  return backlog.items.some(({ url }) => url.startsWith(start));
}
