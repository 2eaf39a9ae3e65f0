import { graphql } from "@octokit/graphql";
import type { z } from "zod";
import type { Clock } from "../../base/core/clock.ts";
import { withLimit } from "../../base/core/signals.ts";
import { type BacklogItem, itemSchema, printableText } from "./backlog.ts";
import { type Board, type BoardContent, type BoardFailure, type BoardResult, failed } from "./board.ts";
import { githubFailure, withoutRefusedItems } from "./github-failure.ts";
import {
  headQuery,
  headSchema,
  type ItemNode,
  type ItemsPage,
  itemsQuery,
  itemsSchema,
} from "./github-queries.ts";
import { createTokenSource, type GithubCredentials } from "./github-token.ts";

export interface GithubBoardOptions {
  readonly organization: string;
  readonly number: number;
  /** `https://api.github.com`, or `https://HOST/api/v3` for a GitHub Enterprise Server. */
  readonly apiUrl: string;
  readonly credentials: GithubCredentials;
  readonly clock: Clock;
}

const requestLimitMs = 30_000;
/** GitHub's gateway occasionally fails for a page: only that page is requested again. */
const tries = 3;
const pauseBetweenTriesMs = 1_000;
/** Readings at most: a change to the board shifts its pages, and everything is then read again. */
const readings = 3;
/** More than a GitHub board can hold: protects against endless pagination. */
const maxItems = 100_000;

/** GitHub's maximum. */
const largestPage = 100;
const leastPage = 10;
/** How long a size to which GitHub responds is used, before larger pages are tried again. */
const smallPageMs = 3_600_000;

/** `refusals`: the message of each error about an item, whose content is then null. */
type Fetched<T> =
  | Extract<BoardResult<T>, { ok: false }>
  | (BoardResult<T> & { ok: true; refusals: readonly string[] });

type Project = { readonly id: string; readonly version: string; readonly statuses: readonly string[] };

/**
 * A GitHub project board (Projects v2) over GraphQL. Drafts, archived items and items of repositories that
 * the token cannot access are left out; all other items are read, or the reading fails.
 */
export function createGithubBoard(options: GithubBoardOptions): Board {
  const { organization, number, clock } = options;
  const apiUrl = options.apiUrl.replace(/\/+$/, "");
  const tokens = createTokenSource(options.credentials, apiUrl, () => clock.nowMs());
  const where = `project ${number} of ${organization}`;

  let smallPage: { readonly size: number; readonly untilMs: number } | undefined;
  const pageSize = (): number =>
    smallPage !== undefined && clock.monotonicMs() < smallPage.untilMs ? smallPage.size : largestPage;

  async function askOnce<T>(
    query: string,
    variables: Record<string, unknown>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<Fetched<T>> {
    const authorization = await tokens.authorization(signal);
    if (!authorization.ok) return authorization;
    let response: unknown;
    try {
      response = await withLimit(signal, requestLimitMs, (limited) =>
        graphql(query, {
          ...variables,
          baseUrl: apiUrl,
          headers: { authorization: authorization.value },
          request: { signal: limited },
        }),
      );
    } catch (error) {
      signal.throwIfAborted();
      const failure = githubFailure(error, clock.nowMs());
      const partial = failure.kind === "rate-limited" ? undefined : withoutRefusedItems(error);
      if (partial !== undefined) return parse(partial.data, schema, partial.refusals);
      if (failure.kind === "unauthorized") tokens.refused();
      return { ok: false, failure };
    }
    return parse(response, schema, []);
  }

  function parse<T>(response: unknown, schema: z.ZodType<T>, refusals: readonly string[]): Fetched<T> {
    const parsed = schema.safeParse(response);
    if (parsed.success) return { ok: true, value: parsed.data, refusals };
    const [issue] = parsed.error.issues;
    return failed(
      "malformed",
      `the response is not what was asked for: ${issue?.path.join(".")}: ${issue?.message}`,
    );
  }

  async function ask<T>(
    query: string,
    variables: Record<string, unknown>,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<Fetched<T>> {
    for (let attempt = 1; ; attempt++) {
      const result = await askOnce(query, variables, schema, signal);
      if (result.ok || attempt === tries || !isPassing(result.failure)) return result;
      if (isTooMuch(result.failure) && Number(variables["first"] ?? 0) > leastPage) return result;
      await clock.sleep(pauseBetweenTriesMs * attempt, signal);
    }
  }

  async function project(signal: AbortSignal): Promise<BoardResult<Project>> {
    const result = await ask(headQuery, { organization, number }, headSchema, signal);
    if (!result.ok) return result;
    const found = result.value.organization?.projectV2;
    // Null without an error is the response to a token without rights on projects.
    if (found === undefined || found === null) {
      return failed("not-found", `${where} is not there, or the token has no right to read projects`);
    }
    if (found.field?.options === undefined) {
      return failed("misconfigured", `${where} has no single-select field named Status`);
    }
    const statuses = found.field.options.map((option) => option.name);
    return { ok: true, value: { id: found.id, version: found.updatedAt, statuses } };
  }

  async function readPages(id: string, signal: AbortSignal): Promise<BoardResult<Reading>> {
    const nodes = new Map<string, ItemNode>();
    const versions: string[] = [];
    const refusals: string[] = [];
    let cursor: string | null = null;
    for (;;) {
      const first = pageSize();
      const variables: Record<string, unknown> = { project: id, cursor, first };
      const result: Fetched<{ node: ItemsPage | null }> = await ask(
        itemsQuery,
        variables,
        itemsSchema,
        signal,
      );
      if (!result.ok && isTooMuch(result.failure) && first > leastPage) {
        smallPage = {
          size: Math.max(leastPage, Math.floor(first / 2)),
          untilMs: clock.monotonicMs() + smallPageMs,
        };
        continue;
      }
      if (!result.ok) return result;
      refusals.push(...result.refusals);
      const page: ItemsPage | null = result.value.node;
      if (page === null) return failed("incomplete", `${where} vanished while it was read`);
      versions.push(page.updatedAt);
      for (const node of page.items.nodes ?? []) if (node !== null) nodes.set(node.id, node);
      const { hasNextPage, endCursor }: ItemsPage["items"]["pageInfo"] = page.items.pageInfo;
      const { totalCount } = page.items;
      if (!hasNextPage) return { ok: true, value: { nodes, versions, refusals, totalCount } };
      if (endCursor === null || endCursor === cursor || nodes.size > maxItems) {
        return failed("malformed", `the pages of ${where} have no end`);
      }
      cursor = endCursor;
    }
  }

  return {
    id: `github:${apiUrl}/${organization}/${number}`,

    async head(signal) {
      const result = await project(signal);
      if (!result.ok) return result;
      const { id: node, version, statuses } = result.value;
      return { ok: true, value: { node, version, statuses } };
    },

    async items(signal) {
      const found = await project(signal);
      if (!found.ok) return found;
      let last: BoardResult<BoardContent> = failed("incomplete", `${where} changed all the time`);
      for (let reading = 1; reading <= readings; reading++) {
        const pages = await readPages(found.value.id, signal);
        if (!pages.ok) return pages;
        last = contentOf(pages.value, where);
        const isSteady = new Set(pages.value.versions).size === 1;
        if (last.ok || last.failure.kind !== "incomplete" || isSteady) return last;
      }
      return last;
    },
  };
}

interface Reading {
  readonly nodes: ReadonlyMap<string, ItemNode>;
  /** The board's `updatedAt` on each page. */
  readonly versions: readonly string[];
  /** Messages about items that the service refused to show. */
  readonly refusals: readonly string[];
  readonly totalCount: number;
}

/** The items of a reading, or the reason why it is inconsistent. */
function contentOf(reading: Reading, where: string): BoardResult<BoardContent> {
  const { nodes, refusals, totalCount } = reading;
  if (nodes.size !== totalCount) {
    return failed("incomplete", `${nodes.size} of the ${totalCount} items of ${where} came`);
  }
  const items: BacklogItem[] = [];
  let hidden = 0;
  for (const node of nodes.values()) {
    if (node.type === "REDACTED" || node.isRefused === true) hidden++;
    const raw = rawItem(node);
    if (raw === undefined) continue;
    const item = itemSchema.safeParse(raw);
    if (!item.success) {
      const [issue] = item.error.issues;
      return failed("malformed", `an item of ${where}: ${issue?.path.join(".")}: ${issue?.message}`);
    }
    items.push(item.data);
  }
  if (hidden > 0 && hidden === totalCount) {
    return failed("forbidden", `the token may see none of the ${totalCount} items of ${where}`);
  }
  const [reason] = refusals;
  const leftOut = totalCount - items.length;
  if (reason === undefined) return { ok: true, value: { items, leftOut } };
  const warning = `${refusals.length} items of ${where} cannot be read and are left out: ${reason}`;
  return { ok: true, value: { items, leftOut, warnings: [warning] } };
}

/** The public part of an item, or undefined for drafts, redacted and archived ones. */
function rawItem(node: ItemNode): unknown {
  const { content } = node;
  if (node.isArchived || content === null || content.url === undefined) return undefined;
  return {
    number: content.number,
    title: content.title && printableText(content.title),
    url: printableText(content.url),
    status: printableText(node.fieldValueByName?.name ?? ""),
    labels: (content.labels?.nodes ?? [])
      .filter((label) => label !== null)
      .map(({ name, color }) => ({ name: printableText(name), color })),
  };
}

/** GitHub aborted a query that takes too long; smaller pages succeed. */
function isTooMuch({ kind, message }: BoardFailure): boolean {
  const texts = /something went wrong while executing your query|couldn.t respond to your request in time/i;
  return kind === "unavailable" && texts.test(message);
}

/** Transient failures; any other would recur a second later. */
function isPassing(failure: BoardFailure): boolean {
  return failure.kind === "unavailable" && failure.retryAfterMs === undefined;
}
