import { expect, test } from "vitest";
import type { GatewayView } from "../../../exporter/policy/status/status-view.ts";
import { parseStatusQuery } from "./sink-list.ts";
import { summary } from "./summary.ts";

const textOf = (gateway?: GatewayView): string => {
  const status = {
    ...({ version: "1", startedAt: "2026-01-01T00:00:00Z", state: "running", ready: true } as const),
    ...{ degraded: [], policies: [] },
    ...(gateway === undefined ? {} : { gateway }),
  };
  const { markup } = summary({
    status,
    rows: [],
    query: parseStatusQuery({}),
    nowMs: 0,
  });
  return markup.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
};

test.each<[GatewayView | undefined, string | undefined]>([
  [undefined, undefined],
  [{ programs: 1_200, refused: 0, problem: null }, "HTTP proxies 1,200 all are served"],
  [{ programs: 3, refused: 2, problem: null }, "HTTP proxies 3 2 cannot be carried out"],
  [{ programs: 3, refused: 0, problem: "no <b>" }, "HTTP proxies 3 not up to date: no &lt;b&gt;"],
])("gateway %j", (gateway, shown) => {
  if (shown === undefined) expect(textOf(gateway)).not.toContain("HTTP proxies");
  else expect(textOf(gateway)).toContain(shown);
});
