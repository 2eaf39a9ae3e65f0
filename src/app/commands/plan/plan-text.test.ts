import { expect, test } from "vitest";
import { formatBytes, planText } from "./plan-text.ts";

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_536, "1.5 KiB"],
  [20_206_740, "19.3 MiB"],
  [1_020 * 1_024, "1020 KiB"],
  [2 ** 60, "1024 PiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("text from outside disturbs no terminal", () => {
  const hostile = "\u001b[2J\n";
  const counted = { name: hostile, series: 1, values: 1 };
  const text = planText({
    policies: [
      {
        policy: hostile,
        sources: [
          {
            ...{ name: hostile, query: hostile, series: 1, samples: 1, samplesPerMinute: 1 },
            ...{ isPartial: true, metrics: [counted], labels: [counted] },
          },
        ],
        sinks: [
          {
            ...{ name: hostile, endpoint: hostile, tenant: hostile, problem: hostile },
            examples: [
              { series: hostile, sent: hostile },
              { series: hostile, problem: hostile },
            ],
            probe: { accepted: false, message: hostile },
          },
        ],
        warnings: [hostile],
      },
    ],
  });
  expect(text).not.toContain("\u001b");
  expect(text).toContain("at least 1");
});
