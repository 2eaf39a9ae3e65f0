import type { AnyFilter, Printable } from "./printer.ts";

/**
 * Whether the expression is certainly wider than `width` on one line. Examines only as much as it needs, so
 * that a deeply nested expression is not printed whole on each level.
 */
export function isWider(expr: Printable, width: number): boolean {
  let room = width;
  const waiting: Printable[] = [expr];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    room -= ownWidth(node, room);
    if (room < 0) return true;
    waiting.push(...parts(node));
  }
  return false;
}

/** A lower bound of the node's own characters, without its children; each child has at least one. */
function ownWidth(node: Printable, room: number): number {
  switch (node.type) {
    case "number":
      return node.text.length;
    case "string":
      return node.value.length;
    case "concat":
      return sum(node.parts, room, ({ text }) => text.length);
    case "selector":
      return Math.max(
        1,
        sum<readonly AnyFilter[]>(node.groups, room, (group) => group.length),
      );
    case "call":
    case "aggregate":
    case "union":
      return Math.max(1, node.args.length);
    case "with":
      return node.definitions.length + 1;
    default:
      return 1;
  }
}

/** Stops when the room is used up. */
function sum<T>(list: readonly T[], room: number, width: (item: T) => number): number {
  let total = 0;
  for (const item of list) {
    total += width(item);
    if (total > room) break;
  }
  return total;
}

function parts(node: Printable): readonly Printable[] {
  switch (node.type) {
    case "rollup":
      return node.at ? [node.expr, node.at] : [node.expr];
    case "binary":
      return [node.left, node.right];
    case "call":
    case "aggregate":
    case "union":
      return node.args;
    case "with":
      return [...node.definitions.map((one) => one.body), node.body];
    default:
      return [];
  }
}
