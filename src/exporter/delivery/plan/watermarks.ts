import { sourceKind } from "../../metrics-store/source-kind.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { onGrid } from "./cycle-times.ts";

/** Up to where a source's samples are complete. */
export interface Watermark {
  readonly name: string;
  /** Unix ms, on the source's grid. */
  readonly watermarkMs: number;
  /** Windows of the source end at multiples of this. */
  readonly gridMs: number;
}

/** The watermarks of a plan's sources. */
export class Watermarks {
  readonly #delays: { readonly delayMs: number; readonly expressionDelayMs: number };
  #sources: readonly { readonly name: string; readonly isRaw: boolean }[] = [];
  /** Windows of raw samples end at multiples of this. Expressions see what the store shows, whatever it keeps. */
  dedupMs = 1;

  /** @param delays of raw samples and of expressions, behind the store's clock */
  constructor(plan: SinkPlan, delays: { readonly delayMs: number; readonly expressionDelayMs: number }) {
    this.#delays = delays;
    this.change(plan);
  }

  change({ sources }: SinkPlan): void {
    this.#sources = sources.map(({ name, metricsql }) => ({ name, isRaw: sourceKind(metricsql) === "raw" }));
  }

  /** @param nowMs by the store's clock */
  at(nowMs: number): Watermark[] {
    const { delayMs, expressionDelayMs } = this.#delays;
    return this.#sources.map(({ name, isRaw }) => {
      const gridMs = isRaw ? this.dedupMs : 1;
      // Expressions use samples before and after each point, which take longer to become available.
      return { name, watermarkMs: onGrid(nowMs - (isRaw ? delayMs : expressionDelayMs), gridMs), gridMs };
    });
  }
}
