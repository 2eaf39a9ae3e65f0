import { z } from "zod";

/** The two GitHub queries and the expected shapes of their responses. */

/** The cheap query: the board's version and its statuses. */
export const headQuery = /* GraphQL */ `
  query BoardHead($organization: String!, $number: Int!) {
    organization(login: $organization) {
      projectV2(number: $number) {
        id
        updatedAt
        field(name: "Status") {
          ... on ProjectV2SingleSelectField {
            options {
              name
            }
          }
        }
      }
    }
  }
`;

export const headSchema = z.object({
  organization: z
    .object({
      projectV2: z
        .object({
          id: z.string(),
          updatedAt: z.iso.datetime({ offset: true }),
          field: z.object({ options: z.array(z.object({ name: z.string() })).optional() }).nullable(),
        })
        .nullable(),
    })
    .nullable(),
});

/** One page of items. */
export const itemsQuery = /* GraphQL */ `
  query BoardItems($project: ID!, $cursor: String, $first: Int!) {
    node(id: $project) {
      ... on ProjectV2 {
        updatedAt
        items(first: $first, after: $cursor) {
          totalCount
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            id
            type
            isArchived
            fieldValueByName(name: "Status") {
              ... on ProjectV2ItemFieldSingleSelectValue {
                name
              }
            }
            content {
              ... on Issue {
                number
                title
                url
                labels(first: 100) {
                  nodes {
                    name
                    color
                  }
                }
              }
              ... on PullRequest {
                number
                title
                url
                labels(first: 100) {
                  nodes {
                    name
                    color
                  }
                }
              }
            }
          }
        }
      }
    }
  }
`;

const content = z.object({
  number: z.int().optional(),
  title: z.string().optional(),
  url: z.string().optional(),
  labels: z
    .object({ nodes: z.array(z.object({ name: z.string(), color: z.string() }).nullable()).nullable() })
    .nullish(),
});

export const itemsSchema = z.object({
  node: z
    .object({
      updatedAt: z.iso.datetime({ offset: true }),
      items: z.object({
        totalCount: z.int().nonnegative(),
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z
          .array(
            z
              .object({
                id: z.string(),
                type: z.string(),
                isArchived: z.boolean(),
                fieldValueByName: z.object({ name: z.string().nullish() }).nullable(),
                content: content.nullable(),
                /** Set by `withoutRefusedItems`. */
                isRefused: z.boolean().optional(),
              })
              .nullable(),
          )
          .nullable(),
      }),
    })
    .nullable(),
});

export type ItemsPage = NonNullable<z.infer<typeof itemsSchema>["node"]>;
export type ItemNode = NonNullable<NonNullable<ItemsPage["items"]["nodes"]>[number]>;
