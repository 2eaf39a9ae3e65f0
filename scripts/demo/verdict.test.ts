import { expect, it } from "vitest";
import { diffSamples, SampleSet } from "../samples/sample-set.ts";
import { agrees, type Comparison, summary } from "./verdict.ts";

function comparison(source: readonly number[], receiver: readonly number[]): Comparison {
  const [sourceSet, receiverSet] = [new SampleSet(), new SampleSet()];
  for (const timestampMs of source) sourceSet.add("{a}", timestampMs, 1);
  for (const timestampMs of receiver) receiverSet.add("{a}", timestampMs, 1);
  return {
    sink: "one",
    upToMs: 0,
    sourceSamples: source.length,
    receiverSamples: receiver.length,
    diff: diffSamples(sourceSet, receiverSet),
  };
}

it.each([
  ["equal", [1, 2], [1, 2], true, "agree"],
  ["lost", [1, 2], [2], false, "DIFFER"],
  ["invented", [1], [1, 2], false, "DIFFER"],
  ["repeated", [1], [1, 1], false, "DIFFER"],
  ["nothing at all", [], [], false, "NOTHING EXPORTED"],
])("%s", (_name, source, receiver, expected, word) => {
  const compared = comparison(source, receiver);
  expect(agrees(compared)).toBe(expected);
  const [header, row, ...details] = summary([compared]).split("\n");
  expect(header).toMatch(/^SINK +UP TO +SOURCE +RECEIVER/);
  expect(row).toMatch(new RegExp(`^one +1970-01-01T00:00:00.000Z +${source.length} .*${word}$`));
  expect(details.length > 0).toBe(!expected);
});
