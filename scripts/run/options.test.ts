import { describe, expect, it } from "vitest";
import {
  choiceOption,
  durationOption,
  flagOption,
  numberOption,
  parseOptions,
  seedOption,
  textOption,
  usageOf,
} from "./options.ts";

const options = {
  series: numberOption(4000, "series of 11 labels each"),
  late: numberOption(0, "percentage of late samples", 0, 50),
  source: choiceOption(["victoria-metrics", "prometheus"], "the store"),
  "spare-engine": flagOption("does not kill the engine"),
  only: textOption("cases with this text"),
  for: durationOption("ends after that long"),
};
const presets = {
  ...{ series: 4000, late: 0, source: "victoria-metrics", "spare-engine": false },
  ...{ only: undefined, for: undefined },
};

describe("parseOptions", () => {
  it.each([
    [[], presets],
    [["--series", "50000", "--late=5"], { ...presets, series: 50_000, late: 5 }],
    [
      ["--source", "prometheus", "--spare-engine"],
      { ...presets, source: "prometheus", "spare-engine": true },
    ],
    [["--only", "a b", "--for", "2m"], { ...presets, only: "a b", for: 120_000 }],
    [["--series", "1", "--help"], "help"],
    [["-h"], "help"],
  ])("reads %j", (args, expected) => {
    expect(parseOptions(options, args)).toEqual(expected);
  });

  it.each([
    [["--series", "0"], "--series 0: must be a whole number from 1"],
    [["--series", "2m"], "--series 2m: must be a whole number from 1"],
    [["--series="], "--series : must be a whole number from 1"],
    [["--late", "51"], "--late 51: must be from 0 to 50"],
    [["--source", "mimir"], "--source mimir: must be victoria-metrics or prometheus"],
    [["--for", "0s"], "--for 0s: must be a duration such as 60s or 2m"],
    [["--for"], "argument missing"],
    [["--spare-engine=yes"], "does not take an argument"],
    [["--speed", "9"], "Unknown option '--speed'"],
    [["60s"], "Unexpected argument '60s'"],
  ])("rejects %j", (args, message) => {
    expect(() => parseOptions(options, args)).toThrow(message);
  });

  it("gives each run a seed of its own, and takes that of another", () => {
    const seed = seedOption();
    expect(parseOptions({ seed }, [])).not.toEqual(parseOptions({ seed: seedOption() }, []));
    expect(parseOptions({ seed }, ["--seed", "7"])).toEqual({ seed: 7 });
  });
});

it("usageOf lists the options with their presets", () => {
  const { series, source } = options;
  expect(
    usageOf("npm run prove -- equality", "Writes samples.", { series, source, seed: seedOption() }),
  ).toBe(
    `Usage: npm run prove -- equality [OPTIONS]

Writes samples.
  --series N     series of 11 labels each (4000)
  --source NAME  victoria-metrics or prometheus: the store (victoria-metrics)
  --seed N       repeats the random choices of an earlier run
`,
  );
  expect(usageOf("npm run demo", "Runs.", { series })).toMatch(/^Usage: npm run demo \[-- OPTIONS\]\n/);
});
