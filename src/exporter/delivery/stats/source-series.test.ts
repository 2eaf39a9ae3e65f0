import { expect, test } from "vitest";
import { SourceSeries } from "./source-series.ts";

const minuteMs = 60_000;
const counts = (series: number, samples = series, spanMs = minuteMs) => ({ series, samples, spanMs });

test("the largest of the last readings counts, and for ten minutes at most", () => {
  const series = new SourceSeries();
  expect(series.of("a")).toBeUndefined();
  const shown = [5, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0].map((read, minute) => {
    series.note("a", counts(read), minute * minuteMs);
    return series.of("a");
  });
  expect(shown).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 0]);
});

test("a sink is idle when none of its sources has selected a series for ten minutes", () => {
  const series = new SourceSeries();
  for (let minute = 0; minute <= 20; minute++) {
    series.note("a", counts(minute === 5 ? 1 : 0), minute * minuteMs);
    series.note("b", counts(0), minute * minuteMs);
    const idle = [["a"], ["b"], ["a", "b"], ["a", "unread"], []].map((sources) =>
      series.idleSinceMs(sources, minute * minuteMs),
    );
    expect(idle).toEqual([
      minute >= 15 ? 5 * minuteMs : undefined,
      minute >= 10 ? 0 : undefined,
      minute >= 15 ? 5 * minuteMs : undefined,
      undefined,
      undefined,
    ]);
  }
});

test("a source with an hour's interval is idle when two of its readings had no series", () => {
  const series = new SourceSeries();
  const hourMs = 60 * minuteMs;
  const idle = [3, 3, 0, 0, 0].map((read, hour) => {
    series.note("a", { ...counts(read, read, hourMs), everyMs: hourMs }, hour * hourMs);
    return [series.of("a"), series.idleSinceMs(["a"], (hour + 1) * hourMs - 1)];
  });
  expect(idle).toEqual([
    [3, undefined],
    [3, undefined],
    [3, undefined],
    [0, hourMs],
    [0, hourMs],
  ]);
});

test("a source that was not read for long starts over", () => {
  const series = new SourceSeries();
  series.note("a", counts(0), 0);
  series.note("a", counts(0), 30 * minuteMs);
  expect(series.idleSinceMs(["a"], 39 * minuteMs)).toBeUndefined();
});

test("samples per minute of sample time, whatever the windows' lengths", () => {
  const series = new SourceSeries();
  expect(series.samplesPerMinute("a")).toBeUndefined();
  series.note("a", counts(2, 8, 4 * minuteMs), 0);
  series.note("a", counts(2, 1, minuteMs / 2), minuteMs);
  expect(series.samplesPerMinute("a")).toBe(2);
  for (let minute = 2; minute <= 12; minute++) series.note("a", counts(2, 6), minute * minuteMs);
  expect(series.samplesPerMinute("a")).toBe(6);
  series.note("b", counts(0, 0, 0), 0);
  expect(series.samplesPerMinute("b")).toBeUndefined();
});

test("an hour before the sink began says nothing of the samples per minute after it", () => {
  const series = new SourceSeries();
  const shown = [
    counts(2, 60, 60 * minuteMs),
    counts(2, 90, 10 * minuteMs),
    counts(2, 20),
    counts(2, 40),
  ].map((read, second) => {
    series.note("a", read, second * 1_000);
    return series.samplesPerMinute("a");
  });
  expect(shown).toEqual([1, 9, 20, 30]);
  series.note("b", counts(2, 60, 60 * minuteMs), 0);
  series.note("b", counts(2, 20), 6 * minuteMs);
  expect(series.samplesPerMinute("b")).toBe(20);
});
