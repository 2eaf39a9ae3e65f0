/**
 * `npm run test:fidelity`: replays the table of requests against the platform and prints where a response is not what it says.
 * With `--oracle` also against a real Kubernetes API server, which is what the table has to agree with.
 */
import { parseArgs } from "node:util";
import { describeError } from "../../src/core/errors.ts";
import { startTestPlatform } from "../support/platform.ts";
import type { ExpectedResponse, FidelityCase } from "./case.ts";
import { fidelityCases } from "./cases.ts";
import { startOracle } from "./oracle/oracle.ts";
import { projectApi } from "./platform-api.ts";
import { replay, type SendRequest } from "./replay.ts";

const usage = `Usage: npm run test:fidelity [-- OPTIONS]

  --oracle        also against an apiextensions-apiserver, which is built with Go (some minutes, once)
  --only TEXT     only cases whose name has this text`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { oracle: { type: "boolean" }, only: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const cases = fidelityCases.filter(({ name }) => name.includes(values.only ?? ""));
  let different = await ofPlatform(cases);
  if (values.oracle === true) different += await ofOracle(cases.filter(({ core }) => core !== true));
  return different === 0 ? 0 : 1;
}

async function ofPlatform(cases: readonly FidelityCase[]): Promise<number> {
  const platform = await startTestPlatform();
  try {
    const send = await projectApi(platform, "web");
    return await compare("the platform", cases, send, (each) => each.platform?.expected ?? each.expected);
  } finally {
    await platform.stop();
  }
}

async function ofOracle(cases: readonly FidelityCase[]): Promise<number> {
  const oracle = await startOracle(new AbortController().signal);
  try {
    return await compare("the API server", cases, oracle.send, (each) => each.expected);
  } finally {
    await oracle.stop();
  }
}

async function compare(
  whose: string,
  cases: readonly FidelityCase[],
  send: SendRequest,
  expected: (of: FidelityCase) => ExpectedResponse,
): Promise<number> {
  let different = 0;
  for (const [index, each] of cases.entries()) {
    const found = await replay(each, expected(each), send, `case-${index}`);
    if (found.length === 0) continue;
    different++;
    process.stdout.write(`${whose}: ${each.name}\n${found.map((line) => `  ${line}\n`).join("")}`);
  }
  process.stdout.write(`${whose}: ${cases.length - different} of ${cases.length} cases as the table says\n`);
  return different;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${describeError(error)}\n`);
    process.exit(2);
  },
);
