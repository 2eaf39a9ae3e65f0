import type { Command } from "commander";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  tableOrJson,
  textOrJson,
} from "../command.ts";
import type { QueryOptions } from "./query.ts";

/** Registers `query` and `explain`. */
export function registerQuery(program: Command, { stopSignal, finish }: CommandContext): void {
  configured(program.command("query"))
    .description("evaluate MetricsQL at the metrics store, confined as the exporter would confine it")
    .argument("<query>", "MetricsQL")
    .option(
      "--time <time>",
      "at one time: RFC 3339, Unix seconds, or a duration before now (6h); now by default",
    )
    .option("--from <time>", "over a span: its start")
    .option("--to <time>", "its end")
    .option("--step <duration>", "between two points of the span")
    .option("--project <name>", "confined to this project")
    .addOption(tableOrJson())
    .action(async (text: string, options: ConfigOptions & Omit<QueryOptions, "file" | "query">) => {
      const { query } = await import("./query.ts");
      finish(await query({ ...configSources(options), query: text }, stopSignal()));
    });

  program
    .command("explain")
    .description(
      "explain a MetricsQL query, offline: syntax tree, kind, cost, how it is confined to a project",
    )
    .argument("<query>", "MetricsQL")
    .addOption(textOrJson())
    .action(async (text: string, { output }: { output: "text" | "json" }) => {
      const { explain } = await import("./explain.ts");
      finish(explain(text, { output }));
    });
}
