import { expect, test } from "vitest";
import type { BearerSnapshot } from "./api/token-provider.ts";
import { createControlPlaneRegistry } from "./metrics.ts";

test.each<[BearerSnapshot, string[]]>([
  [{ state: "none" }, ["telemetryd_control_plane_token_failing 0"]],
  [
    { state: "valid", renewAt: "2026-11-20T12:00:00.500Z" },
    [
      "telemetryd_control_plane_token_failing 0",
      "telemetryd_control_plane_token_renewal_timestamp_seconds 1795176000.5",
    ],
  ],
  [{ state: "failing", lastError: "HTTP 401" }, ["telemetryd_control_plane_token_failing 1"]],
])("of %o", async (snapshot, expected) => {
  const text = await createControlPlaneRegistry(() => snapshot).metrics();
  expect(text.split("\n").filter((line) => /^[a-z]/.test(line))).toEqual(expected);
});
