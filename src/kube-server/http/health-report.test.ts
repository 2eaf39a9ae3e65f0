import { expect, test } from "vitest";
import { healthReport } from "./health-report.ts";

test.each([
  ["readyz", true, false, false, 200, "ok"],
  ["readyz", true, false, true, 200, "[+]ping ok\n[+]redis ok\n[+]shutdown ok\nreadyz check passed\n"],
  [
    ...(["readyz", false, false, false, 500] as const),
    "[+]ping ok\n[-]redis failed: no response\n[+]shutdown ok\nreadyz check failed\n",
  ],
  [
    ...(["readyz", true, true, false, 500] as const),
    "[+]ping ok\n[+]redis ok\n[-]shutdown failed: the server stops\nreadyz check failed\n",
  ],
  ["healthz", false, true, true, 500, "[+]ping ok\n[-]redis failed: no response\nhealthz check failed\n"],
  ["livez", false, true, false, 200, "ok"],
  ["livez", false, false, true, 200, "[+]ping ok\nlivez check passed\n"],
] as const)("%s, store %s, stopping %s, verbose %s", (name, responds, stops, isVerbose, code, text) => {
  expect(healthReport(name, responds, stops, isVerbose)).toEqual({ code, text });
});
