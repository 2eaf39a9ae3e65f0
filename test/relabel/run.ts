/**
 * `npm run prove -- relabel`: applies random rules to random series, beside Prometheus' own package, which is built
 * with Go. `--record` writes the outcomes that the unit tests compare with where Go is not installed.
 */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { flagOption, numberOption, readOptions, seedOption } from "../../scripts/run/options.ts";
import { describeError } from "../../src/base/core/errors.ts";
import { buildGoSource } from "../support/go-source.ts";
import { seededRandom } from "../support/random.ts";
import { type RelabelCase, type RelabelOutcome, randomCase } from "./cases.ts";
import { ownOutcome, wordedOutcome } from "./outcome.ts";

const modules = [
  "github.com/prometheus/prometheus@v0.315.0",
  "github.com/prometheus/common@v0.71.0",
  "go.yaml.in/yaml/v2@v2.4.4",
];
const recorded = fileURLToPath(new URL("recorded.json", import.meta.url));
const shownDifferences = 10;

const options = readOptions(
  "npm run prove -- relabel",
  "Applies random rules to random series, beside Prometheus' own relabelling.",
  {
    cases: numberOption(10_000, "lists of rules, each with a series"),
    record: flagOption("writes the first 400 outcomes for the unit tests"),
    seed: seedOption(),
  },
);

async function main(): Promise<number> {
  const source = fileURLToPath(new URL("main.go", import.meta.url));
  const program = await buildGoSource({ name: "relabel", source, modules }, new AbortController().signal);
  const random = seededRandom(options.seed);
  const cases = Array.from({ length: options.cases }, () => randomCase(random));
  const outcomes = await prometheusOutcomes(program, cases);
  if (options.record) {
    const table = cases.slice(0, 400).map((each, index) => ({ ...each, outcome: outcomes[index] }));
    await writeFile(recorded, `[\n${table.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
  }
  let different = 0;
  for (const [index, each] of cases.entries()) {
    const expected = wordedOutcome(outcomes[index] as RelabelOutcome);
    const own = ownOutcome(each);
    if (isDeepStrictEqual(own, expected) || ++different > shownDifferences) continue;
    process.stdout.write(`${JSON.stringify(each)}\n  Prometheus: ${JSON.stringify(expected)}\n`);
    process.stdout.write(`  here:       ${JSON.stringify(own)}\n`);
  }
  const kept = outcomes.filter((outcome) => outcome.kept).length;
  const refused = outcomes.filter(({ fault }) => fault !== undefined).length;
  process.stdout.write(
    `${cases.length} cases (--seed ${options.seed}): ${kept} kept, ${refused} with invalid rules, ${different} different\n`,
  );
  return different;
}

async function prometheusOutcomes(program: string, cases: readonly RelabelCase[]): Promise<RelabelOutcome[]> {
  const child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
  const output = text(child.stdout);
  for (const { rules, labels } of cases) {
    const inPrometheusWords = rules.map(({ sourceLabels, targetLabel, ...rest }) => ({
      ...rest,
      source_labels: sourceLabels,
      target_label: targetLabel,
    }));
    child.stdin.write(`${JSON.stringify({ rules: inPrometheusWords, labels })}\n`);
  }
  child.stdin.end();
  const lines = (await output).split("\n").filter((line) => line !== "");
  if (lines.length !== cases.length) throw new Error(`${lines.length} outcomes of ${cases.length} cases`);
  return lines.map((line) => JSON.parse(line) as RelabelOutcome);
}

main().then(
  (different) => {
    process.exitCode = different === 0 ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${describeError(error)}\n`);
    process.exitCode = 1;
  },
);
