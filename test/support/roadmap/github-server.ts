import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { schema as published } from "@octokit/graphql-schema";
import { buildSchema, type GraphQLSchema, graphql } from "graphql";

/** An item of the board; defaults to an ordinary issue of status Planned. */
export interface FakeItem {
  readonly number: number;
  readonly title?: string;
  readonly status?: string | null;
  readonly labels?: ReadonlyArray<{ readonly name: string; readonly color: string | null }>;
  readonly type?: "ISSUE" | "PULL_REQUEST" | "DRAFT_ISSUE" | "REDACTED";
  readonly isArchived?: boolean;
}

/** A response that replaces the service's own. */
export interface CannedAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly delayMs?: number;
}

export interface FakeGithub extends AsyncDisposable {
  /** For example `https://api.github.com`. */
  readonly url: string;
  items: FakeItem[];
  updatedAt: string;
  /** Null: the token has no permission to read projects. */
  isVisible: boolean;
  /**
   * Called before each response with the number of the GraphQL request, from 1; undefined lets the service
   * respond.
   */
  intercept: (request: number, query: string) => CannedAnswer | undefined;
  /** Awaited before each response. */
  gate: () => Promise<void>;
  /** Called after a page was read, before it is sent. */
  onPage: (page: number) => void;
  readonly queries: string[];
  /** The variables of each query. */
  readonly variables: Readonly<Record<string, unknown>>[];
  /** Authorization headers received, in order. */
  readonly authorizations: string[];
  tokensIssued: number;
  /** Number of requests that wait at the gate. */
  waiting: number;
}

const statuses = ["Backlog", "Planned", "In progress", "Done"];

/**
 * GitHub's GraphQL API for one project board, over HTTP on loopback. It executes against GitHub's published
 * schema, so it rejects the same queries with the same messages as the real service.
 */
export async function startFakeGithub(): Promise<FakeGithub> {
  const schema = publishedSchema();
  let pages = 0;
  const fake = {
    items: [] as FakeItem[],
    updatedAt: "2026-10-01T00:00:00Z",
    isVisible: true,
    intercept: (_request: number, _query: string): CannedAnswer | undefined => undefined,
    gate: (): Promise<void> => Promise.resolve(),
    onPage: (_page: number): void => undefined,
    queries: [] as string[],
    variables: [] as Readonly<Record<string, unknown>>[],
    authorizations: [] as string[],
    tokensIssued: 0,
    waiting: 0,
  };

  const project = () => ({
    __typename: "ProjectV2",
    id: "PVT_1",
    updatedAt: () => fake.updatedAt,
    field: ({ name }: { name: string }) =>
      name === "Status"
        ? {
            __typename: "ProjectV2SingleSelectField",
            options: statuses.map((status) => ({ id: status, name: status })),
          }
        : null,
    items: ({ first, after }: { first: number; after?: string | null }) => {
      const from = after === undefined || after === null ? 0 : Number(after);
      const page = fake.items.slice(from, from + first);
      const response = {
        totalCount: fake.items.length,
        pageInfo: { hasNextPage: from + first < fake.items.length, endCursor: String(from + page.length) },
        nodes: page.map(itemNode),
      };
      fake.onPage(++pages);
      return response;
    },
  });
  const root = {
    organization: ({ login }: { login: string }) => {
      if (login !== "acme") throw new Error(`Could not resolve to an Organization '${login}'.`);
      return {
        projectV2: ({ number }: { number: number }) => (fake.isVisible && number === 22 ? project() : null),
      };
    },
    node: ({ id }: { id: string }) => (fake.isVisible && id === "PVT_1" ? project() : null),
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    fake.authorizations.push(request.headers.authorization ?? "");
    if (request.url?.includes("/access_tokens") === true) {
      fake.tokensIssued++;
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      return send(
        response,
        201,
        {},
        JSON.stringify({ token: `ghs_${fake.tokensIssued}`, expires_at: expires }),
      );
    }
    if (request.headers.authorization === undefined || request.headers.authorization.endsWith(" bad")) {
      return send(response, 401, {}, JSON.stringify({ message: "Bad credentials" }));
    }
    const { query, variables } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
    fake.queries.push(query);
    fake.variables.push(variables ?? {});
    fake.waiting++;
    await fake.gate();
    fake.waiting--;
    const canned = fake.intercept(fake.queries.length, query);
    if (canned !== undefined) {
      if (canned.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, canned.delayMs));
      return send(response, canned.status, canned.headers ?? {}, canned.body);
    }
    const result = await graphql({ schema, source: query, rootValue: root, variableValues: variables ?? {} });
    return send(response, 200, {}, JSON.stringify(result));
  }

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return Object.assign(fake, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function itemNode(item: FakeItem) {
  const type = item.type ?? "ISSUE";
  const contentType = {
    ISSUE: "Issue",
    PULL_REQUEST: "PullRequest",
    DRAFT_ISSUE: "DraftIssue",
    REDACTED: "",
  }[type];
  const labels = item.labels ?? [];
  return {
    id: `PVTI_${item.number}`,
    type,
    isArchived: item.isArchived ?? false,
    fieldValueByName: () =>
      item.status === null
        ? null
        : { __typename: "ProjectV2ItemFieldSingleSelectValue", name: item.status ?? "Planned" },
    content:
      contentType === ""
        ? null
        : {
            __typename: contentType,
            number: item.number,
            title: item.title ?? `Item ${item.number}`,
            url: `https://github.com/acme/site/issues/${item.number}`,
            labels: () => ({ nodes: labels }),
          },
  };
}

let built: GraphQLSchema | undefined;

function publishedSchema(): GraphQLSchema {
  // The published schema defines two fields of an unrelated type twice.
  built ??= buildSchema(published.idl, { assumeValidSDL: true });
  return built;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(body);
}
