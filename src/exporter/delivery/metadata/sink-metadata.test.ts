import { expect, test } from "vitest";
import { plainEncoder } from "../../../../test/support/receiver/encoded.ts";
import { seriesOf } from "../../../../test/support/store/series.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { MetricMetadata } from "../../metrics-store/samples/metadata-decoder.ts";
import type { Destination } from "../../remote-write/destination.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import { MetadataSender } from "../../remote-write/send/metadata-sender.ts";
import { RemoteWriteMetrics } from "../../remote-write/send/metrics.ts";
import { SinkMetadata } from "./sink-metadata.ts";

/** One sink whose receiver responds with this status, and a store that knows one family. */
class Scene {
  readonly clock = new TestClock(0);
  readonly state = new EndpointState("1.0");
  current = 1;
  requests = 0;
  readonly sink = new SinkMetadata();
  readonly #status: number;

  constructor(status = 204) {
    this.#status = status;
  }

  version(): number {
    return this.current;
  }

  lookup(name: string): MetricMetadata | undefined {
    return name === "unknown" ? undefined : { family: name, type: "gauge", help: "", unit: "" };
  }

  isDue(): boolean {
    return this.sink.begin(this, this.state, this.clock.monotonicMs()) !== undefined;
  }

  /** Runs a cycle that reads one series. @returns the outcome; undefined when nothing was sent */
  async cycle(name = "up", signal = new AbortController().signal): Promise<string | undefined> {
    const names = this.sink.begin(this, this.state, this.clock.monotonicMs());
    if (names === undefined) return undefined;
    names.add(plainEncoder.encode(seriesOf(name)));
    return (await this.sink.send(names, this, this.#destination(), this.clock, [signal]))?.kind;
  }

  #destination(): Destination {
    const attempt = async () => {
      this.requests++;
      return this.#status === 204
        ? ({ kind: "delivered", status: 204 } as const)
        : ({ kind: "rejected", status: this.#status, message: "" } as const);
    };
    const deps = { clock: this.clock, state: this.state, metrics: new RemoteWriteMetrics() };
    const metadataSender = () => new MetadataSender({ attempt }, deps);
    return { state: this.state, metadataSender } as unknown as Destination;
  }
}

test("it is due at first, then every minute, and when the store's metadata has changed", async () => {
  const scene = new Scene();
  expect(await scene.cycle()).toBe("delivered");
  expect(scene.isDue()).toBe(false);
  scene.clock.advance(59_999);
  expect(scene.isDue()).toBe(false);
  scene.clock.advance(1);
  expect(await scene.cycle()).toBe("delivered");
  scene.current++;
  expect(await scene.cycle()).toBe("delivered");
  expect([scene.isDue(), scene.requests]).toEqual([false, 3]);
});

test("it is not due while the store has none, or when the endpoint speaks 2.0", () => {
  const scene = new Scene();
  scene.current = 0;
  expect(scene.isDue()).toBe(false);
  scene.current = 1;
  expect(scene.isDue()).toBe(true);
  scene.state.tryVersion2();
  expect(scene.isDue()).toBe(false);
});

test("series without metadata cost no request, and are collected again in a minute", async () => {
  const scene = new Scene();
  expect(await scene.cycle("unknown")).toBeUndefined();
  expect([scene.requests, scene.isDue()]).toEqual([0, false]);
  scene.clock.advance(60_000);
  expect(scene.isDue()).toBe(true);
});

test("an endpoint with legal names gets no metadata of a name that is made another one", async () => {
  const scene = new Scene();
  expect(await scene.cycle("a.b")).toBe("delivered");
  scene.state.learnLegacyNames();
  scene.clock.advance(60_000);
  expect(await scene.cycle("a.b")).toBeUndefined();
  scene.clock.advance(60_000);
  expect(await scene.cycle("a:b")).toBe("delivered");
});

test("a refusal counts for all sinks of the endpoint, until one of their policies changes", async () => {
  const scene = new Scene(400);
  expect(await scene.cycle()).toBe("refused");
  scene.clock.advance(60_000);
  const other = new SinkMetadata();
  expect([scene.isDue(), other.begin(scene, scene.state, 60_000)]).toEqual([false, undefined]);
  other.change();
  expect(other.begin(scene, scene.state, 60_000)).toBeDefined();
  expect(scene.isDue()).toBe(true);
});

test("after a failure it is due in a minute, not before", async () => {
  const scene = new Scene(404);
  expect(await scene.cycle()).toBe("failed");
  expect(scene.isDue()).toBe(false);
  scene.clock.advance(60_000);
  expect(scene.isDue()).toBe(true);
});
