import { expect, test } from "vitest";
import { recentRate, sparklineSvg } from "./sparkline-svg.ts";

test("the highest point is at the top, nothing at the bottom", () => {
  const { markup } = sparklineSvg([0, 0, 0, 300, 300, 300]);
  expect(markup).toContain('class="line" d="M0 23L1 15.7L2 8.3L3 1"');
  expect(markup).toContain("now 15/s, at most 30/s");
});

test("a comb of cycles that are longer than a slot is drawn as the steady flow it is", () => {
  const comb = Array.from({ length: 60 }, (_, index) => (index % 3 === 2 ? 0 : 150));
  expect(
    new Set(
      sparklineSvg(comb)
        .markup.match(/class="line" d="(.*?)"/)?.[1]
        ?.match(/(?<=\d )[\d.]+/g),
    ),
  ).toEqual(new Set(["1"]));
});

test("silence is a flat line, no counts are no picture", () => {
  expect(sparklineSvg([0, 0, 0, 0]).markup).toContain('d="M0 23L1 23"');
  expect(sparklineSvg([]).markup).toBe("");
});

test("the rate is that of the last minute", () => {
  expect(recentRate([9_999, 60, 60, 60, 60, 60, 60])).toBe(6);
  expect(recentRate([])).toBe(0);
});
