import { describe, expect, test } from "vitest";
import type { BacklogItem } from "../../../src/roadmap/board/backlog.ts";
import type { Board } from "../../../src/roadmap/board/board.ts";

/** The fixture that runs the contract suite on an implementation of {@link Board}. */
export interface BoardFixture extends AsyncDisposable {
  readonly board: Board;
  /** Puts these items on the board, in any order. */
  fill(items: readonly BacklogItem[]): Promise<void>;
  /** Makes the board unreadable. */
  spoil(): Promise<void>;
}

const never = new AbortController().signal;

export function makeItem(
  number: number,
  status = "Planned",
  labels: BacklogItem["labels"] = [],
): BacklogItem {
  return {
    number,
    title: `Item ${number}`,
    url: `https://github.com/acme/site/issues/${number}`,
    labels,
    status,
  };
}

/** The contract of every board, whatever its backend. */
export function describeBoard(name: string, create: () => Promise<BoardFixture>): void {
  describe(`the board of a ${name}`, () => {
    test("gives every item as it was put there", async () => {
      await using fixture = await create();
      const items = [makeItem(2, "Done"), makeItem(1, "Planned", [{ name: "ui", color: "aabbcc" }])];
      await fixture.fill(items);
      const result = await fixture.board.items(never);
      expect(result).toMatchObject({ ok: true, value: { leftOut: 0 } });
      const read = result.ok ? result.value.items : [];
      expect(read.toSorted((a, b) => a.number - b.number)).toEqual(items.toReversed());
    });

    test("the version stays while nothing changes, and changes with an item", async () => {
      await using fixture = await create();
      const version = async (): Promise<string> => {
        const head = await fixture.board.head(never);
        return head.ok ? head.value.version : `failed: ${head.failure.message}`;
      };
      await fixture.fill([makeItem(1)]);
      const first = await version();
      expect(await version()).toBe(first);
      await fixture.fill([makeItem(1), makeItem(2)]);
      expect(await version()).not.toBe(first);
    });

    test("an empty board is an empty backlog", async () => {
      await using fixture = await create();
      await fixture.fill([]);
      expect(await fixture.board.items(never)).toEqual({ ok: true, value: { items: [], leftOut: 0 } });
    });

    test("one that cannot be read is a failure with a message, in both questions", async () => {
      await using fixture = await create();
      await fixture.fill([makeItem(1)]);
      await fixture.spoil();
      for (const result of [await fixture.board.head(never), await fixture.board.items(never)]) {
        expect(result).toMatchObject({ ok: false, failure: { message: expect.stringMatching(/\w/) } });
      }
    });

    test("250 items come whole", async () => {
      await using fixture = await create();
      await fixture.fill(Array.from({ length: 250 }, (_, index) => makeItem(index + 1)));
      const result = await fixture.board.items(never);
      expect(result.ok && new Set(result.value.items.map((item) => item.number)).size).toBe(250);
    });
  });
}
