import { createHash } from "node:crypto";
import { z } from "zod";

/** The public backlog: the content of the page and of the cache. */

export const itemSchema = z.object({
  number: z.int().nonnegative(),
  title: z.string().min(1),
  /** HTTP schemes only: the page renders these as links. */
  url: z.url({ protocol: /^https?$/ }),
  labels: z.array(
    z.object({
      name: z.string().min(1),
      /** Six hexadecimal digits, or null when the board has no colour for it. */
      color: z
        .string()
        .regex(/^[0-9a-f]{6}$/i)
        .nullable(),
    }),
  ),
  status: z.string(),
});

/** A board's text without control characters: white space for line ends and tabs, U+FFFD for the others. */
export function printableText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\t\n\r]/g, " ").replace(/[\u0000-\u001f\u007f-\u009f]/g, "\ufffd");
}

export type BacklogItem = z.infer<typeof itemSchema>;
export type BacklogLabel = BacklogItem["labels"][number];

/** Everything but the items: small, so that freshness is updated and announced without copying the items. */
export const backlogMetaSchema = z.object({
  format: z.literal(1),
  /** Unix epoch, ms: the end of the last successful refresh. */
  updatedAt: z.int(),
  /** Unix epoch, ms: when all items were last read from the board. */
  readAt: z.int(),
  /** The board the items come from; items of another board are never shown. */
  board: z.string(),
  /** The board's id in the events of its service, where it has one. */
  boardNode: z.string().optional(),
  /** The board's version when the items were read. */
  boardVersion: z.string(),
  /** The requested statuses, in order. */
  statuses: z.array(z.string()),
  /** Identifies the items: {@link contentId} of their JSON. */
  contentId: z.string(),
});

export type BacklogMeta = z.infer<typeof backlogMetaSchema>;

export interface Backlog {
  readonly meta: BacklogMeta;
  readonly items: readonly BacklogItem[];
}

/** The body of the status operation. */
export interface BacklogCacheStatus {
  readonly updatedAt: number | null;
  readonly isRefreshing: boolean;
}

/** A hash of the items' JSON: equal exactly when the items are. */
export function contentId(itemsJson: string): string {
  return createHash("sha256").update(itemsJson).digest("base64url").slice(0, 22);
}

/**
 * Selects the public items of a board: those with one of the statuses, ordered by status, then by number and
 * URL (numbers repeat on a board of several repositories). Labels are sorted by name. Duplicates are removed.
 */
export function selectItems(items: readonly BacklogItem[], statuses: readonly string[]): BacklogItem[] {
  const order = new Map(statuses.map((status, index) => [status, index]));
  const byUrl = new Map<string, BacklogItem>();
  for (const item of items) if (order.has(item.status)) byUrl.set(item.url, item);
  const rank = (item: BacklogItem): number => order.get(item.status) ?? 0;
  return [...byUrl.values()]
    .map((item) => ({ ...item, labels: item.labels.toSorted((a, b) => compare(a.name, b.name)) }))
    .sort((a, b) => rank(a) - rank(b) || a.number - b.number || compare(a.url, b.url));
}

/** By code units: the same order on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Parses a stored cache entry. Any program may have written the texts, so an inconsistent entry counts as
 * none.
 *
 * @returns undefined when the texts are not an entry of this format, or the items do not match the meta
 */
export function parseBacklog(metaJson: string, itemsJson: string): Backlog | undefined {
  const meta = parseMeta(metaJson);
  if (meta === undefined || contentId(itemsJson) !== meta.contentId) return undefined;
  const items = z.array(itemSchema).safeParse(parseJson(itemsJson));
  return items.success ? { meta, items: items.data } : undefined;
}

export function parseMeta(metaJson: string): BacklogMeta | undefined {
  return backlogMetaSchema.safeParse(parseJson(metaJson)).data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
