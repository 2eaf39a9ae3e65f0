/** A half-open span of sample time: after `fromMs`, up to and including `toMs` (Unix epoch, ms). */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}
