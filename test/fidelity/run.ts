/**
 * `npm run prove -- fidelity`: replays the table of requests against the platform and prints unexpected
 * responses. With `--oracle` also against a real Kubernetes API server, with which the table has to agree.
 */
import { flagOption, numberOption, readOptions, seedOption, textOption } from "../../scripts/run/options.ts";
import { describeError } from "../../src/base/core/errors.ts";
import { customResourceDefinitionKind } from "../../src/kube-server/kinds/custom-resource-definition.ts";
import { servedKinds } from "../../src/platform/served-kinds.ts";
import { groupDomain, startTestPlatform } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";
import type { ExpectedResponse, FidelityCase } from "./case.ts";
import { fidelityCases } from "./cases.ts";
import { startOracle } from "./oracle/oracle.ts";
import { projectApi } from "./platform-api.ts";
import { compareRandomRequests, type RequestReport } from "./random/random-requests.ts";
import { differentlyAccepted } from "./random-policies.ts";
import { replay, type SendRequest } from "./replay.ts";

const options = readOptions(
  "npm run prove -- fidelity",
  "Replays the table of requests against the platform and prints unexpected responses.",
  {
    oracle: flagOption(
      "also against an apiextensions-apiserver, which is built with Go (some minutes, once)",
    ),
    policies: numberOption(1_000, "with --oracle: random policies that both have to accept or to refuse"),
    requests: numberOption(2_000, "with --oracle: random requests to which both have to respond alike", 0),
    only: textOption("only cases whose name has this text"),
    seed: seedOption(),
  },
);

/** @returns the number of unexpected responses */
async function main(): Promise<number> {
  const cases = fidelityCases.filter(({ name }) => name.includes(options.only ?? ""));
  const platform = await startTestPlatform();
  const oracle = options.oracle ? await startOracle(new AbortController().signal) : undefined;
  try {
    const send = await projectApi(platform, "web");
    const ours = (each: FidelityCase) => each.platform?.expected ?? each.expected;
    let different = await compare("the platform", cases, send, ours);
    if (oracle === undefined) return different;
    const servedByBoth = cases.filter(({ core }) => core !== true);
    different += await compare("the API server", servedByBoth, oracle.send, ({ expected }) => expected);
    different += await refusedDefinitions(oracle.send);
    const policies = await differentlyAccepted(send, oracle.send, options.policies, options.seed);
    for (const each of policies) process.stdout.write(`accepted by one only: ${each}\n`);
    process.stdout.write(
      `${options.policies} policies (--seed ${options.seed}): ${policies.length} accepted by one only\n`,
    );
    different += policies.length;
    if (options.requests === 0) return different;
    const seed = options.seed;
    return different + reportOf(await compareRandomRequests(send, oracle.send, options.requests, seed), seed);
  } finally {
    await oracle?.stop();
    await platform.stop();
  }
}

/** @returns the number of requests that are responded to differently, for no known reason */
function reportOf({ compared, different, otherWords }: RequestReport, seed: number): number {
  const unknown = different.filter(({ known }) => known === undefined);
  for (const { request, ours, theirs, differences } of unknown) {
    const texts = differences.map(({ what, ours: our, theirs: their }) => {
      return `  ${what}: ${shortened(our)} instead of ${shortened(their)}\n`;
    });
    process.stdout.write(`${request.what}\n  ${request.method} ${request.path}\n${texts.join("")}`);
    if (request.body !== undefined) process.stdout.write(`  body: ${shortened(request.body)}\n`);
    process.stdout.write(`  ours: ${ours.text.slice(0, 500)}\n  theirs: ${theirs.text.slice(0, 500)}\n`);
  }
  const counts = new Map<string, number>();
  for (const { known } of different) if (known) counts.set(known, (counts.get(known) ?? 0) + 1);
  for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a)) {
    process.stdout.write(`${String(count).padStart(5)} ${name}\n`);
  }
  const known = different.length - unknown.length;
  process.stdout.write(
    `${compared} random requests (--seed ${seed}): ${unknown.length} differ, ${known} as documented, ` +
      `${otherWords.length} in words alone\n`,
  );
  return unknown.length;
}

function shortened(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")).slice(0, 500);
}

/** @returns the number of our definitions of kinds that the API server refuses or does not establish */
async function refusedDefinitions(send: SendRequest): Promise<number> {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const kinds = servedKinds(groupDomain).filter(({ builtIn }) => !builtIn);
  const made = customResourceDefinitionKind(kinds);
  const ours = (["organization", "project"] as const).flatMap(
    (plane) => made.fixedObjects?.(plane, "2026-01-01T00:00:00Z") ?? [],
  );
  let refused = 0;
  for (const { status: _status, metadata, ...rest } of ours) {
    const { name = "", annotations = {} } = metadata;
    const body = { ...rest, metadata: { name, annotations } };
    // It has the ExportPolicy's already.
    const created = await send({ method: "POST", path: definitions, body: JSON.parse(JSON.stringify(body)) });
    const isThere = created.code === 201 || created.code === 409;
    const isEstablished = async (): Promise<boolean> => {
      const { text } = await send({ method: "GET", path: `${definitions}/${name}` });
      return /"type":"Established","status":"True"/.test(text);
    };
    if (
      isThere &&
      (await until("it is established", isEstablished, 20_000).then(
        () => true,
        () => false,
      ))
    )
      continue;
    refused++;
    process.stdout.write(`the API server: ${name}: ${created.code} ${created.text}\n`);
  }
  process.stdout.write(`${ours.length - refused} of ${ours.length} definitions of kinds are established\n`);
  return refused;
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
  (different) => process.exit(different === 0 ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${describeError(error)}\n`);
    process.exit(2);
  },
);
