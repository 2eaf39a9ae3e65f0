import { describe, expect, it } from "vitest";
import { createProgress } from "./progress.ts";

describe("createProgress", () => {
  function recorded(more: { isTTY?: boolean; columns?: number }) {
    const written: string[] = [];
    return { written, progress: createProgress({ ...more, write: (text) => written.push(text) }) };
  }

  it("renews one line on a terminal, never wider than it", () => {
    const { written, progress } = recorded({ isTTY: true, columns: 5 });
    progress.show("123456", 0);
    progress.show("ab", 1);
    progress.say("done");
    progress.say("really");
    expect(written).toEqual(["1234", "\r\u001b[K", "ab", "\r\u001b[K", "done\n", "really\n"]);
  });

  it("prints a plain line every five seconds elsewhere", () => {
    const { written, progress } = recorded({});
    for (const nowMs of [0, 4999, 5000, 9999, 10_001]) progress.show(String(nowMs), nowMs);
    expect(written).toEqual(["0\n", "5000\n", "10001\n"]);
  });
});
