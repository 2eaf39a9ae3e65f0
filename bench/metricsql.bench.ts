/**
 * MetricsQL queries parsed per second on one core: `npx tsx bench/metricsql.bench.ts`. The target is 20,000
 * typical queries.
 */
import { Bench } from "tinybench";
import { scope } from "../src/exporter/metricsql/analysis/scope.ts";
import { parse } from "../src/exporter/metricsql/parse/parser.ts";
import { print } from "../src/exporter/metricsql/print/printer.ts";

const QUERIES = {
  selector: 'http_requests_total{job="gateway",instance=~"10\\\\.0\\\\..*",code!~"5.."}',
  typical:
    'sum(rate(http_requests_total{job="gateway",code=~"5.."}[5m])) by (instance) / sum(rate(http_requests_total{job="gateway"}[5m])) by (instance) > 0.05',
  template:
    'WITH (ct = {job="gateway",env="prod"}, errors(q) = sum(rate(q{ct,code=~"5.."}[5m])) by (path)) errors(http_requests_total) / errors(grpc_requests_total) default 0',
};

const bench = new Bench({ time: 1000 });
for (const [name, query] of Object.entries(QUERIES)) bench.add(`parse ${name}`, () => void parse(query));
const typical = parse(QUERIES.typical);
bench.add("print typical", () => void print(typical));
bench.add("scope typical", () => void scope(typical, [{ label: "project", value: "web" }]));
await bench.run();
console.table(bench.table());
