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

test("requests in the making count for all, and are to be finished where one has more than its quota", () => {
  const budget = new MemoryBudget(1_000);
  const large = budget.openShare();
  const small = budget.openShare();
  large.growOpenBatches(600);
  small.growOpenBatches(100);
  expect(budget.usedBytes).toBe(700);
  expect([large.isCrowded(), small.isCrowded()]).toEqual([true, false]);
  // Stopping the read helps only against waiting requests.
  expect(large.isSpent()).toBe(false);
  large.growOpenBatches(-600);
  large.hold(120);
  expect([large.heldBytes(), budget.usedBytes]).toEqual([120, 220]);
});

test("a closed share gives everything back, once", () => {
  const budget = new MemoryBudget(1_000);
  const share = budget.openShare();
  share.hold(300);
  share.growOpenBatches(200);
  share.close();
  share.close();
  expect(budget.usedBytes).toBe(0);
});
