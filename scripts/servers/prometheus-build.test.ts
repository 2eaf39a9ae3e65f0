import { expect, test } from "vitest";
import { buildOfHelp } from "./prometheus-build.ts";

test.each([
  [
    "2.42",
    `      --storage.agent.path="data-agent/"
      --enable-feature= ...      Comma separated feature names
                                 to enable. Valid options: agent,
                                 exemplar-storage`,
    { hasAgentFlag: false, hasXor2: false, major: 2 },
  ],
  [
    "3.0",
    `      --enable-feature=ENABLE-FEATURE ...
                                 Valid options: exemplar-storage
      --agent                    Run Prometheus in 'Agent mode'.`,
    { hasAgentFlag: true, hasXor2: false, major: 3 },
  ],
  [
    "3.15",
    `      --enable-feature=ENABLE-FEATURE ...
                                 xor2-encoding, zstd-scrape. See
      --[no-]agent               Run Prometheus in 'Agent mode'.`,
    { hasAgentFlag: true, hasXor2: true, major: 3 },
  ],
])("the help of Prometheus %s", (_, help, expected) => {
  expect(buildOfHelp(help)).toEqual(expected);
});
