import { expect, test } from "vitest";
import { MemoryBudget } from "./memory-budget.ts";

test("a hanging sink can take the common half, and never another's quota", () => {
  const budget = new MemoryBudget(1_000);
  const hanging = budget.openShare();
  const healthy = budget.openShare();
  while (!hanging.isSpent()) hanging.hold(10);
  expect(hanging.heldBytes()).toBe(500);
  expect(healthy.isSpent()).toBe(false);
  while (!healthy.isSpent()) healthy.hold(10);
  expect(healthy.heldBytes()).toBe(250);
});

test("many sinks together stay within the limit", () => {
  const budget = new MemoryBudget(10_000);
  const shares = Array.from({ length: 20 }, () => budget.openShare());
  for (const share of shares) while (!share.isSpent()) share.hold(10);
  expect(budget.usedBytes).toBeLessThanOrEqual(10_000);
});

test("a closed share gives everything back, once", () => {
  const budget = new MemoryBudget(1_000);
  const share = budget.openShare();
  share.hold(300);
  share.close();
  share.close();
  expect(budget.usedBytes).toBe(0);
});
