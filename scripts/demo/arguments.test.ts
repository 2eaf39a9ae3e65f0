import { expect, it } from "vitest";
import { parseArguments } from "./arguments.ts";

it.each([
  [[], { forMs: undefined }],
  [["--for", "60s"], { forMs: 60_000 }],
  [["--for=2m"], { forMs: 120_000 }],
  [["--help"], "help"],
  [["--for"], { fault: "--for : not a duration; it is written like 60s or 2m" }],
  [["--for", "0s"], { fault: "--for 0s: not a duration; it is written like 60s or 2m" }],
  [["60s"], { fault: "unknown argument 60s" }],
])("%j", (args, expected) => {
  expect(parseArguments(args)).toEqual(expected);
});
