import { expect, test } from "vitest";
import { healthReport } from "./health-report.ts";

test.each([
  ["readyz", true, false, 200, "ok"],
  ["readyz", true, true, 200, "[+]ping ok\n[+]redis ok\nreadyz check passed\n"],
  ["readyz", false, false, 500, "[+]ping ok\n[-]redis failed: no response\nreadyz check failed\n"],
  ["healthz", false, true, 500, "[+]ping ok\n[-]redis failed: no response\nhealthz check failed\n"],
  ["livez", false, false, 200, "ok"],
  ["livez", false, true, 200, "[+]ping ok\nlivez check passed\n"],
])("%s, store %s, verbose %s", (name, isStoreResponding, isVerbose, code, text) => {
  expect(healthReport(name, isStoreResponding, isVerbose)).toEqual({ code, text });
});
