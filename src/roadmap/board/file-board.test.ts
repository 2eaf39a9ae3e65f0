import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeBoard, makeItem } from "../../../test/support/contracts/board.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../base/core/clock.ts";
import { createFileBoard } from "./file-board.ts";

const never = new AbortController().signal;

describeBoard("file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "file-board-"));
  const file = join(folder, "backlog.json");
  return {
    board: createFileBoard(file, systemClock),
    fill: (items) => writeFile(file, JSON.stringify({ items })),
    spoil: () => rm(file),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});

let directory = "";
let file = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "file-board-"));
  file = join(directory, "backlog.json");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function itemsOf(text: string) {
  await writeFile(file, text);
  return createFileBoard(file, systemClock).items(never);
}

describe("the forms of a file", () => {
  test("labels may be names or have a colour, with or without #", async () => {
    const item = { ...makeItem(1), labels: ["plain", { name: "red", color: "#ff0000" }, { name: "none" }] };
    const result = await itemsOf(JSON.stringify({ items: [item] }));
    expect(result.ok && result.value.items[0]?.labels).toEqual([
      { name: "plain", color: null },
      { name: "red", color: "ff0000" },
      { name: "none", color: null },
    ]);
  });

  test("what GitHub's command line exports is read, drafts left out", async () => {
    const items = [
      {
        id: "PVTI_1",
        content: { type: "Issue", number: 4, title: "T", url: "https://github.com/a/b/issues/4", body: "" },
        labels: ["x"],
        status: "Planned",
        title: "T",
      },
      { id: "PVTI_2", content: { type: "DraftIssue", title: "an idea", body: "" }, status: "Planned" },
    ];
    expect(await itemsOf(JSON.stringify({ items, totalCount: 2 }))).toEqual({
      ok: true,
      value: {
        items: [
          {
            number: 4,
            title: "T",
            url: "https://github.com/a/b/issues/4",
            labels: [{ name: "x", color: null }],
            status: "Planned",
          },
        ],
        leftOut: 1,
      },
    });
  });

  test("an export with hidden items, nulls, a byte order mark and control characters is read", async () => {
    const url = "https://github.com/a/b/issues/4";
    const items = [
      { id: "PVTI_1", content: null, type: "REDACTED", labels: null, status: null },
      { content: { type: "Issue", number: 4, title: "T\u0000\t\u009b", url }, labels: null, status: null },
      { ...makeItem(5), labels: null, status: null },
    ];
    const result = await itemsOf(`\ufeff${JSON.stringify({ items, totalCount: 3 })}`);
    if (!result.ok) throw new Error(result.failure.message);
    expect(result.value).toEqual({
      items: [
        { number: 4, title: "T\ufffd \ufffd", url, labels: [], status: "" },
        { ...makeItem(5), labels: [], status: "" },
      ],
      leftOut: 1,
    });
  });

  test.each([
    ["half a file", '{ "items": [', "malformed", "JSON"],
    ["another form", '{ "rows": [] }', "malformed", "items"],
    ["no number", '{"items":[{"title":"x","url":"https://x.y"}]}', "malformed", "items.0.number"],
    [
      "a link that would run as a script",
      JSON.stringify({ items: [{ ...makeItem(1), url: "javascript:alert(1)" }] }),
      "malformed",
      "items.0.url",
    ],
    ["an export that was cut off", '{"items":[],"totalCount":31}', "incomplete", "0 of 31"],
  ])("%s is a failure", async (_name, text, kind, words) => {
    expect(await itemsOf(text)).toMatchObject({
      ok: false,
      failure: { kind, message: expect.stringContaining(words) },
    });
  });
});

test("reports a rewritten and a replaced file, and ends with its signal", async () => {
  await writeFile(file, "1");
  const controller = new AbortController();
  let calls = 0;
  const watching = createFileBoard(file, systemClock).watch?.(() => calls++, controller.signal);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await writeFile(file, "22");
  await until("the rewriting is reported", () => calls >= 1);
  const before = calls;
  await writeFile(`${file}.new`, "333");
  await rename(`${file}.new`, file);
  await until("the replacing is reported", () => calls > before);
  controller.abort();
  await watching;
});
