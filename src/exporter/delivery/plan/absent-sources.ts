import type { StateStore } from "../state/sink-state.ts";
import { sourceOf } from "./ahead-spans.ts";

/**
 * Open windows that are kept for sources that may return to the policy. Of an older one the source is sent
 * again: a policy whose sources are renamed again and again must not fill the state.
 */
const maxAbsentWindows = 8;

/**
 * Forgets what is kept of sources that a policy no longer has.
 *
 * @param key of a sink's state
 * @param present names of its sources
 * @param oldestMs what ended before is forgotten (Unix ms)
 */
export async function forgetAbsentSources(
  state: StateStore,
  key: string,
  present: ReadonlySet<string>,
  oldestMs: number,
): Promise<void> {
  const { checkpoints, windows } = await state.load(key);
  if (windows.length === 0 && checkpoints.size <= present.size) return;
  const absent = windows.filter(({ sources }) => ![...sources].some((name) => present.has(name)));
  for (const [index, window] of absent.entries()) {
    if (window.toMs <= oldestMs || index < absent.length - maxAbsentWindows) await state.dropWindow(window);
  }
  for (const [name, ms] of [...checkpoints]) {
    if (!present.has(sourceOf(name)) && ms <= oldestMs) await state.dropSource(key, name);
  }
}
