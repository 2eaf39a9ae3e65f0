import { expect, test } from "vitest";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { configMapKind } from "../kinds/config-map.ts";
import type { ListPart } from "../resources/list.ts";
import { type FormRequest, listBody, readForm } from "./api-response.ts";

const objects = Array.from({ length: 500 }, (_, index) => {
  const metadata = { name: `m${index}`, creationTimestamp: "2026-01-01T00:00:00Z" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "x".repeat(1_000) } };
  return { json: JSON.stringify(object), object: () => object };
});

async function* parts(): AsyncGenerator<ListPart> {
  yield { resourceVersion: "1", objects, end: {} };
}

test.each<[what: string, request: Partial<FormRequest>, isInOne: boolean]>([
  ["as they are stored", {}, true],
  ["as YAML", { accept: "application/yaml" }, false],
  ["indented", { userAgent: "curl/8" }, false],
  ["as a table", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }, false],
  ["as metadata", { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" }, false],
])("a page of objects %s lets other requests run", async (_, request, isInOne) => {
  const form = readForm({ accept: undefined, query: new URLSearchParams(), userAgent: "", ...request });
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await yieldToEventLoop();
  })();
  let text = "";
  let longest = 0;
  for await (const piece of listBody(parts(), configMapKind, form, 0)) {
    text += piece;
    longest = Math.max(longest, piece.length);
  }
  isOver = true;
  await others;
  for (const name of ["m0", "m250", "m499"]) expect(text).toMatch(new RegExp(`${name}\\b`));
  expect(longest > 300_000).toBe(isInOne);
  expect(turns > 20).toBe(!isInOne);
});
