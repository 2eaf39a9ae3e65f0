import { expect, test } from "vitest";
import { withoutAddresses } from "./addresses.ts";

test.each([
  ["cannot fetch from vmstorage-1:8400: too many series", "cannot fetch from …: too many series"],
  ["at 10.1.2.3, not 10.1.2.3:8428", "at …, not …"],
  ["at [fd00::1]:8400 and ::1 and fe80::1%eth0", "at […]:8400 and … and …"],
  ["see http://store.internal:8428/api/v1/export?x=1 for more", "see … for more"],
  ["at vmselect.monitoring.svc:8481/select", "at …/select"],
  ['parse error at 1:5: unexpected "}"', 'parse error at 1:5: unexpected "}"'],
  ['a matcher {a="b:c"} of 12:30 and version 1.2.3', 'a matcher {a="b:c"} of 12:30 and version 1.2.3'],
])("%s", (text, expected) => {
  expect(withoutAddresses(text)).toBe(expected);
});

test.each(["a", "a.", "1.", ":", "a:", "a://", "-"])("many of %s take time that is linear", (part) => {
  const fastestMs = (count: number): number =>
    Math.min(
      ...[1, 2, 3, 4, 5].map(() => {
        const text = part.repeat(count);
        const startMs = performance.now();
        withoutAddresses(text);
        return performance.now() - startMs;
      }),
    );
  fastestMs(5_000);
  expect(fastestMs(40_000)).toBeLessThan(16 * fastestMs(10_000) + 20);
});
