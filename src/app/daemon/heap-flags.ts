import { setFlagsFromString } from "node:v8";

/**
 * V8's flags, set once, before anything else is loaded.
 *
 * `heap-growing-percent`: how far the heap may grow before V8 marks it again. V8's own choice depends on the
 * rate of allocation, and lets the heap of ten thousand policies become mostly garbage
 * (bench/small-policies.ts).
 */
export const heapFlags: readonly string[] = ["--heap-growing-percent=20"];

for (const flag of heapFlags) setFlagsFromString(flag);
