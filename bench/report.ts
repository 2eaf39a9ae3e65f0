import type { Bench } from "tinybench";

/**
 * Prints each task's median time per item (ns) as a table.
 * @param items number of items that one run of a task handles
 */
export function printNsPerItem(bench: Bench, items: number | Record<string, number>): void {
  console.table(
    bench.tasks.map((task) => {
      const result = task.result;
      if (!("latency" in result)) return { task: task.name, "ns per item": Number.NaN };
      const perRun = typeof items === "number" ? items : (items[task.name] ?? 1);
      return {
        task: task.name,
        "ns per item": Number(((result.latency.p50 * 1e6) / perRun).toFixed(1)),
        "± %": Number(result.latency.rme.toFixed(1)),
      };
    }),
  );
}
