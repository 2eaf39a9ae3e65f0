import { expect, test } from "vitest";
import { deliveringState } from "../../../test/support/sink/delivering-state.ts";
import { destinationWith, exporterDeps, sinkPlan } from "../../../test/support/sink/exporter-deps.ts";
import { sinkStore } from "../../../test/support/sink/sink-store.ts";
import { samplesAt, seriesOf } from "../../../test/support/store/series.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import type { Outcome } from "../remote-write/send/outcome.ts";
import type { Verdict } from "../remote-write/transport/classify-response.ts";
import { losesDataInMs } from "./delivering-condition.ts";
import { Interruption, type InterruptionReason } from "./dispatch/interruption.ts";
import { Exporter } from "./exporter.ts";
import type { DestinationHooks } from "./sink-connection.ts";

const never = new AbortController().signal;
const plan = sinkPlan({ retry: { maxAttempts: 3, backoffMs: 5_000 } });
const failed = {
  kind: "retry",
  reason: "answer_timeout",
  message: "no response in 30 s",
  responseLost: true,
} as const satisfies Verdict;

/** What happens to a request. It may take time, and interrupt the cycle. */
type Receiver = (hooks: DestinationHooks, clock: TestClock) => Outcome;

/** An exporter whose store has a sample each second, and which exports one window of them in a cycle. */
function newExporter(receiver: Receiver) {
  const clock = new TestClock(Date.UTC(2026, 10, 20));
  const scene = { receiver };
  const store = sinkStore({
    storeNowMs: () => clock.nowMs(),
    async read({ window }, consumer) {
      consumer.onSeries(seriesOf("up"), samplesAt(window.toMs));
      return { kind: "complete", series: 1, samples: 1, bytes: 0, durationMs: 1, invalidLines: 0 };
    },
  });
  const exporter = new Exporter(
    plan,
    exporterDeps({
      store,
      settings: { intervalMs: 15_000, delayMs: 1_000, maxWindowMs: 600_000, maxBackfillMs: 3_600_000 },
      clock,
      destinationOf: (_, hooks) => destinationWith(async () => scene.receiver(hooks, clock)),
    }),
  );
  return {
    exporter,
    clock,
    scene,
    state: () => deliveringState(exporter.snapshot(), clock.nowMs()),
    /** Time passes, so that there is something to deliver. */
    async cycle(interruption = new Interruption()) {
      clock.advance(15_000);
      return await exporter.cycle(interruption, never);
    },
  };
}

const deliver: Receiver = ({ onAttempt }) => {
  onAttempt?.()({ kind: "delivered", status: 204 });
  return { kind: "delivered", status: 204 };
};

/** Each attempt takes so long, until the cycle is interrupted after one of them. */
function hang(attemptMs: number, interrupt: () => void): Receiver {
  return ({ onAttempt }, clock) => {
    const end = onAttempt?.();
    clock.advance(attemptMs);
    end?.(failed);
    interrupt();
    const { reason, message, responseLost } = failed;
    return { kind: "exhausted", reason, message, responseLost };
  };
}

test.each<[string, attemptMs: number, why: InterruptionReason, reason: string]>([
  ["a fleet's cycle ends while its requests have failed for long", 30_000, "stop", "Retrying"],
  ["an edit comes while requests have failed for long", 30_000, "edit", "Retrying"],
  ["a cycle ends after a single failure", 100, "stop", "UpToDate"],
])("%s: %i ms, %s leaves %s", async (_, attemptMs, why, reason) => {
  const { scene, cycle, state } = newExporter(deliver);
  // The first cycle of a sink only fixes where it begins.
  for (let count = 0; count < 2; count++) expect(await cycle()).toBe("up-to-date");
  const interruption = new Interruption();
  scene.receiver = hang(attemptMs, () => interruption.begin(why));
  expect(await cycle(interruption)).toBe("interrupted");
  expect(state().reason).toBe(reason);
  scene.receiver = deliver;
  await cycle();
  expect(state()).toMatchObject({ status: "True", reason: "UpToDate" });
});

test("while requests are in progress, what is wrong with them shows", async () => {
  const seen: string[] = [];
  const { scene, cycle, state } = newExporter(deliver);
  for (let count = 0; count < 2; count++) await cycle();
  scene.receiver = ({ onAttempt }, clock) => {
    const end = onAttempt?.();
    seen.push(state().reason);
    clock.advance(8_000);
    seen.push(`${state().reason}: ${state().message}`);
    end?.({ kind: "delivered", status: 204 });
    seen.push(state().reason);
    return { kind: "delivered", status: 204 };
  };
  await cycle();
  expect(seen).toEqual(["UpToDate", "Retrying: no response for more than 8 s", "UpToDate"]);
});

test("an edit's plan counts as tried once something was delivered, or failed, under it", async () => {
  const { exporter, scene, cycle } = newExporter(deliver);
  const tried = () => exporter.snapshot().triedPlan;
  expect(tried()).toBeUndefined();
  for (let count = 0; count < 2; count++) await cycle();
  expect(tried()).toBe(plan);
  const edited = { ...plan, generation: 2, endpoint: "http://127.0.0.1/other" };
  exporter.change(edited);
  const interruption = new Interruption();
  scene.receiver = hang(100, () => interruption.begin("stop"));
  await cycle(interruption);
  expect(tried()).toBe(plan);
  scene.receiver = hang(100, () => undefined);
  await cycle();
  expect(tried()).toBe(edited);
  expect(exporter.snapshot().deliveryState.kind).toBe("retrying");
});

test("the times of states are those of what happened", async () => {
  const { exporter, clock, scene, cycle, state } = newExporter(deliver);
  const since = () => exporter.snapshot().times?.since({ ...state(), isForbidden: false });
  await cycle();
  const upToDateMs = clock.nowMs();
  await cycle();
  expect(state().reason).toBe("UpToDate");
  expect(since()?.reasonMs).toBe(upToDateMs);
  // Retrying after five seconds, and the cycle ends after twenty.
  scene.receiver = hang(20_000, () => undefined);
  const failing = cycle();
  await failing;
  const failedMs = clock.nowMs();
  clock.advance(3_600_000);
  expect(state().reason).toBe("Retrying");
  expect(since()?.reasonMs).toBeGreaterThanOrEqual(failedMs - 20_000);
  expect(since()?.reasonMs).toBeLessThanOrEqual(failedMs);
  scene.receiver = deliver;
  await cycle();
  expect(since()?.statusMs).toBe(clock.nowMs());
});

test("a sink that does not deliver knows when it tries again, and when data is lost", async () => {
  const { exporter, clock, scene, cycle } = newExporter(deliver);
  const left = () => losesDataInMs(exporter.snapshot(), clock.nowMs());
  await cycle();
  expect(left()).toBeUndefined();
  expect(exporter.snapshot().nextAttemptMs).toBeUndefined();
  scene.receiver = () => ({ kind: "suspended", status: 401, message: "HTTP 401", responseLost: false });
  await cycle();
  const firstMs = left() ?? 0;
  expect(exporter.snapshot().nextAttemptMs).toBe(clock.nowMs() + 30_000);
  clock.advance(600_000);
  expect(exporter.snapshot().nextAttemptMs).toBe(clock.nowMs());
  // delivery.maxBackfill is an hour.
  expect(firstMs).toBeGreaterThan(3_500_000);
  expect(left()).toBe(firstMs - 600_000);
  clock.advance(3_600_000);
  expect(left()).toBe(0);
  scene.receiver = deliver;
  await cycle();
  await cycle();
  expect(left()).toBeUndefined();
});
