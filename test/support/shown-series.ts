import { flushVictoriaMetrics } from "./samples.ts";
import { until } from "./until.ts";

/**
 * Waits until a VictoriaMetrics shows so many series of a selector: newer versions find a series that is new
 * to them up to 11 s late, and whoever reads on a short delay would miss its first samples.
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
