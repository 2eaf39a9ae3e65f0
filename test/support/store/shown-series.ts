import { flushVictoriaMetrics } from "../samples.ts";
import { until } from "../until.ts";

/**
 * Waits until a VictoriaMetrics shows this many series of a selector. Newer versions show a new series late,
 * and a reader with a short delay would miss its first samples.
 */
export async function seriesAreShown(url: string, selector: string, count: number): Promise<void> {
  await flushVictoriaMetrics(url, new AbortController().signal);
  await until(`the store shows ${count} series of ${selector}`, async () => {
    const form = new URLSearchParams({ "match[]": selector, start: String(Date.now() / 1_000 - 86_400) });
    const response = await fetch(`${url}/api/v1/series`, { method: "POST", body: form });
    const { data } = (await response.json()) as { data: unknown[] };
    return data.length >= count;
  });
}
