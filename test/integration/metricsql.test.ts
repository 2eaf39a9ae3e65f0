import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { notMetricsql } from "../../src/exporter/metricsql/analysis/not-metricsql.ts";
import { type PrometheusMajor, promqlOnly } from "../../src/exporter/metricsql/analysis/promql.ts";
import { scope } from "../../src/exporter/metricsql/analysis/scope.ts";
import type { Expr } from "../../src/exporter/metricsql/ast/ast.ts";
import { quoteString } from "../../src/exporter/metricsql/ast/literals.ts";
import { parse } from "../../src/exporter/metricsql/parse/parser.ts";
import { print } from "../../src/exporter/metricsql/print/printer.ts";
import { writeByRemoteWrite } from "../support/samples.ts";
import {
  prometheusBuild,
  type RunningServer,
  startPrometheus,
  startVictoriaMetrics,
  victoriaMetricsBuild,
} from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { expressionText } from "../support/store/metricsql-arbitrary.ts";
import {
  ACCEPTED,
  INVALID_REGEXES,
  PROMQL,
  REFUSED,
  REGEX_MATCHES,
  VALID_REGEXES,
} from "./metricsql-queries.ts";

/** Rejected by newer versions; VictoriaMetrics 1.79 panics and exits. */
const DEADLY = new Set(["m[5M]", "m[1Ki]", "m[0x10]"]);

function parsed(text: string): Expr | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The matchers of each selector of Prometheus' syntax tree. */
function matchersIn(tree: unknown): unknown[] {
  if (typeof tree !== "object" || tree === null) return [];
  const own = "matchers" in tree ? [tree.matchers] : [];
  return [...own, ...Object.values(tree).flatMap(matchersIn)];
}

let server: RunningServer;
let timeMs: number;

interface Response {
  readonly status: string;
  readonly error?: string;
  readonly data?: {
    readonly result: readonly { readonly metric: Record<string, string>; readonly values: unknown }[];
  };
}

/** The response to a range query over the last ten minutes of the samples. */
async function evaluate(query: string): Promise<Response> {
  const end = timeMs / 1000;
  const body = new URLSearchParams({
    query,
    start: String(end - 600),
    end: String(end),
    step: "60",
    nocache: "1",
  });
  const response = await fetch(`${server.url}/api/v1/query_range`, { method: "POST", body });
  return (await response.json()) as Response;
}

/** The series in a fixed order: a server's order depends on its threads. */
async function seriesOf(query: string): Promise<readonly string[]> {
  const response = await evaluate(query);
  if (response.status !== "success") throw new Error(`${query}: ${response.error}`);
  return (response.data?.result ?? [])
    .map(({ metric, values }) => JSON.stringify([Object.entries(metric).sort(), values]))
    .sort();
}

/** Samples of the metrics that the accepted queries read, with a few series of different labels each. */
function samples(): string {
  const names = [
    "m",
    "n",
    "a",
    "b",
    "c",
    "x",
    "y",
    "z",
    "foo",
    "by",
    "offset",
    "sum",
    "with",
    "on",
    "http-requests.total",
  ];
  const labels = [
    { x: "1", a: "x", b: "y" },
    { x: "2", a: "x", c: "z", le: "1" },
    { x: "3", a: "p", t: "own" },
  ];
  const lines: string[] = [];
  names.forEach((__name__, i) => {
    labels.forEach((own, j) => {
      const timestamps = Array.from({ length: 60 }, (_, k) => timeMs - 15_000 * (60 - k));
      const values = timestamps.map((_, k) => (i + 1) * k + j);
      lines.push(JSON.stringify({ metric: { __name__, ...own }, values, timestamps }));
    });
  });
  return lines.join("\n");
}

setUpAll(async ({ keep }) => {
  server = await keep(startVictoriaMetrics());
  timeMs = Math.floor((Date.now() - 60_000) / 60_000) * 60_000;
  const imported = await fetch(`${server.url}/api/v1/import`, { method: "POST", body: samples() });
  expect(imported.status).toBe(204);
  await fetch(`${server.url}/internal/force_flush`);
  expect(await seriesOf("m")).not.toEqual([]);
});

describe("a real VictoriaMetrics", async () => {
  const { isNewer } = await victoriaMetricsBuild();
  const known = ACCEPTED.filter(
    ({ supportedBy }) => supportedBy === undefined || (supportedBy === "newer" && isNewer),
  );

  it.each(known)("accepts $query, and its printed form means the same", async ({ query }) => {
    const expr = parse(query);
    const { error } = await evaluate(query);
    if (error !== undefined) {
      // Rejected because of the data, not the syntax.
      expect(error).toMatch(/duplicate time ?series|timeseries on the (?:left|right)/);
      expect((await evaluate(print(expr))).error).toMatch(
        /duplicate time ?series|timeseries on the (?:left|right)/,
      );
      return;
    }
    expect(await seriesOf(print(expr))).toEqual(await seriesOf(query));
  });

  it.each(REFUSED.filter((query) => !DEADLY.has(query)))("refuses %j", async (query) => {
    const response = await evaluate(query);
    expect(response.status).toBe("error");
  });

  it.each(PROMQL.filter(({ supportedBy }) => supportedBy === undefined))(
    "refuses $query, as foreseen",
    async ({ query }) => {
      const expr = parse(query);
      const { status } = await evaluate(print(expr));
      if (notMetricsql(expr).length > 0) expect(status).toBe("error");
    },
  );

  it.each(VALID_REGEXES)("takes the regular expression %j", async (pattern) => {
    expect((await evaluate(`m{a=~${quoteString(pattern)}}`)).error).toBeUndefined();
  });

  it.each(INVALID_REGEXES)("refuses the regular expression %j", async (pattern) => {
    expect((await evaluate(`m{a=~${quoteString(pattern)}}`)).status).toBe("error");
  });

  it.each(REGEX_MATCHES)(
    "matches with the regular expression %s what is said of it",
    async (pattern, matching, others) => {
      const matches = async (text: string) =>
        (await seriesOf(`label_match(label_set(1, "l", ${quoteString(text)}), "l", ${quoteString(pattern)})`))
          .length > 0;
      for (const text of matching) expect([text, await matches(text)]).toEqual([text, true]);
      for (const text of others) expect([text, await matches(text)]).toEqual([text, false]);
    },
  );

  it("reads nothing but the scope", async () => {
    const filters = [{ label: "t", value: "own" }];
    for (const { query } of known) {
      const series = await evaluate(print(scope(parse(query), filters)));
      expect(series.error).toBeUndefined();
    }
    const scoped = await seriesOf(print(scope(parse("m or {a=~'.+'}"), filters)));
    expect(scoped.length).toBeGreaterThan(0);
    for (const one of scoped) expect(one).toContain('["t","own"]');
  });
});

describe("a real Prometheus", async () => {
  let prometheus: RunningServer;
  const { major }: { major: PrometheusMajor } = await prometheusBuild();

  setUpAll(async ({ keep }) => {
    prometheus = await keep(startPrometheus({ experimentalPromql: true }));
  });

  // Named groups without a P came with a later version of its regular expressions; __graphite__ is an
  // ordinary label to it, so the result is empty; Prometheus 3 treats sums of durations as subtractions of
  // numbers.
  // A window that is negative in the end is refused when it is evaluated.
  it.each(
    [...ACCEPTED, ...PROMQL].filter(({ query }) => !/\(\?<|^m\{__graphite__|1h30m-2m|\[-step/.test(query)),
  )("knows $query, or there are reasons", async ({ query }) => {
    const expr = parse(query);
    const body = new URLSearchParams({
      query: print(expr, "promql"),
      start: "1700000000",
      end: "1700000060",
      step: "15",
    });
    const response = await fetch(`${prometheus.url}/api/v1/query_range`, { method: "POST", body });
    const { status } = (await response.json()) as { status: string };
    const reasons = promqlOnly(expr, major).filter(({ feature }) => feature === undefined);
    expect([status, reasons]).toEqual([reasons.length === 0 ? "success" : "error", reasons]);
  });

  it.runIf(major === 3)("adds labels of a tenant's own info series only", async () => {
    const nowMs = Math.floor(Date.now() / 1_000) * 1_000 - 5_000;
    const written = [
      { __name__: "served", job: "j", instance: "i", t: "own" },
      { __name__: "target_info", job: "j", instance: "i", t: "own", version: "1" },
      { __name__: "target_info", job: "j", instance: "i", t: "other", version: "2", secret: "s" },
      { __name__: "target_info", job: "j", instance: "victim", t: "other", version: "3", secret: "s" },
    ].map((labels) => ({
      labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
      samples: [{ timestampMs: nowMs, value: 1 }],
    }));
    await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, written, new AbortController().signal);
    const metrics = async (query: string) => {
      const sent = print(scope(parse(query), [{ label: "t", value: "own" }]), "promql");
      const body = new URLSearchParams({ query: sent, time: String(nowMs / 1_000) });
      const response = await fetch(`${prometheus.url}/api/v1/query`, { method: "POST", body });
      const { data, error } = (await response.json()) as {
        data?: { result: { metric: object }[] };
        error?: string;
      };
      expect([sent, error]).toEqual([sent, undefined]);
      return data?.result.map(({ metric }) => metric);
    };
    const served = { __name__: "served", job: "j", instance: "i", t: "own" };
    expect(await metrics('info(served, {version=~".+"})')).toEqual([{ ...served, version: "1" }]);
    expect(await metrics('info(served, {version=~".+",secret=~".*"})')).toEqual([
      { ...served, version: "1" },
    ]);
    expect(await metrics('info(served, {__name__=~"target_.*",secret=~".*"})')).toEqual([served]);
    expect(await metrics("info(served)")).toEqual([served]);
    const victim = 'label_replace(served, "instance", "victim", "", "")';
    expect(await metrics(`info(${victim}, {secret=~".*",version=~".*"})`)).toEqual([]);
    expect(await metrics('info(sum(served) by (job, instance), {version="2"})')).toEqual([]);
    expect(await metrics('info(sum(served) by (job, instance), {version=~".+"})')).toEqual([
      { job: "j", instance: "i", t: "own", version: "1" },
    ]);
  });

  it.runIf(major === 3)(
    "finds the tenant's filter in all that it would read, of random expressions",
    async () => {
      const filters = [{ label: "t", value: "own" }];
      const sent = new Set<string>();
      for (const text of fc.sample(expressionText, { numRuns: 6_000, seed: 20_261_126 })) {
        const expr = parsed(text);
        const reasons = expr && promqlOnly(expr, 3).filter(({ feature }) => feature === undefined);
        // The type of the result is not the parser's matter.
        if (expr && reasons?.every(({ message }) => message.endsWith("cannot be the result")))
          sent.add(print(scope(expr, filters), "promql"));
      }
      expect(sent.size).toBeGreaterThan(300);
      let found = 0;
      for (const query of sent) {
        const body = new URLSearchParams({ query });
        const response = await fetch(`${prometheus.url}/api/v1/parse_query`, { method: "POST", body });
        const { data, error } = (await response.json()) as { data: unknown; error?: string };
        expect([query, error]).toEqual([query, undefined]);
        found += matchersIn(data).length;
        for (const matchers of matchersIn(data))
          expect([query, matchers]).toEqual([
            query,
            expect.arrayContaining([{ name: "t", type: "=", value: "own" }]),
          ]);
      }
      expect(found).toBeGreaterThan(300);
    },
  );
});
