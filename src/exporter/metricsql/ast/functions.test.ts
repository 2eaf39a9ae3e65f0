import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { checkCall, functionInfo, functionNames, isAggregate, rollupArgument } from "./functions.ts";

describe("the table of functions", () => {
  it("has each name once, in lower case", () => {
    const names = functionNames();
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([]);
    expect(names.length).toBeGreaterThan(230);
  });

  it.each(functionNames())("%s() can be called with as many arguments as it needs", (name) => {
    const info = functionInfo(name);
    const valid = (count: number): boolean =>
      ["m", '"s"'].some((filler) =>
        [0, 1, 2, 3].some((special) => {
          const args = Array.from({ length: count }, (_, i) =>
            i === special ? '"rate"' : i === 0 ? "m" : filler,
          );
          const call = `${name}(${args.join(", ")})`;
          try {
            parse(call);
            return true;
          } catch {
            return false;
          }
        }),
      );
    expect(valid(info!.min)).toBe(true);
    if (info!.min > 0) expect(valid(info!.min - 1)).toBe(false);
    if (Number.isFinite(info!.max)) expect(valid(info!.max + 1)).toBe(false);
    else expect(valid(info!.min + 2)).toBe(true);
    expect(valid(info!.min + 1)).toBe(info!.max > info!.min && !info!.pairs);
  });

  it("knows aggregates, and what a rollup function rolls up", () => {
    expect(isAggregate("sum")).toBe(true);
    expect(isAggregate("rate")).toBe(false);
    const args = [0, 1, 2].map((value) => ({ type: "number" as const, value, text: String(value), pos: 0 }));
    expect(rollupArgument({ name: "rate", args })).toBe(0);
    expect(rollupArgument({ name: "quantile_over_time", args })).toBe(1);
    expect(rollupArgument({ name: "quantiles_over_time", args })).toBe(2);
    expect(rollupArgument({ name: "abs", args })).toBeUndefined();
  });

  it("suggests a name that is close", () => {
    const call = { type: "call" as const, args: [], keepMetricNames: false, pos: 0 };
    expect(checkCall({ ...call, name: "avg_overtime" })).toMatch(/"avg_over_time" perhaps/);
    expect(checkCall({ ...call, name: "nothing_like_it" })).not.toMatch(/perhaps/);
  });
});
