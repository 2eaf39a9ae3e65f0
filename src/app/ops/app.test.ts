import { connect } from "node:net";
import { Counter, Registry } from "prom-client";
import { describe, expect, test } from "vitest";
import { busyDaemon, condition, inFleet } from "../../../test/support/daemon/daemon-status.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { DaemonStatus } from "../../exporter/policy/status/status-view.ts";
import { buildOpsApp, type OpsInput } from "./app.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);

function appWith(input: Partial<OpsInput>) {
  return buildOpsApp({
    listenHost: "127.0.0.1",
    hosts: [],
    status: () => busyDaemon(10, nowMs),
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => [],
    registries: [],
    nowMs: () => nowMs,
    log: silentLogger,
    ...input,
  });
}

function counterIn(name: string): { registry: Registry; counter: Counter } {
  const registry = new Registry();
  return { registry, counter: new Counter({ name, help: "h", registers: [registry] }) };
}

describe("/metrics", () => {
  test("holds every registry, with what was registered since", async () => {
    const first = counterIn("a_total");
    const second = counterIn("b_total");
    const app = appWith({ registries: [first.registry, second.registry] });
    await app.inject("/metrics");
    first.counter.inc(3);
    new Counter({ name: "c_total", help: "h", registers: [second.registry] }).inc();
    const { body, headers, statusCode } = await app.inject("/metrics");
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(body.split("\n").filter((line) => /^[a-z]/.test(line))).toEqual([
      "a_total 3",
      "b_total 0",
      "c_total 1",
    ]);
    expect(body.endsWith("\n")).toBe(true);
  });

  test("is a response also when nothing is registered", async () => {
    expect((await appWith({}).inject("/metrics")).statusCode).toBe(200);
  });
});

describe("/healthz and /readyz", () => {
  test("alive, whatever the state", async () => {
    const app = appWith({ readiness: () => ({ ready: false, reasons: ["starting"] }) });
    expect((await app.inject("/healthz")).body).toBe("ok\n");
  });

  test.each([
    [{ ready: true, reasons: [] }, [], 200, "ready\n"],
    [{ ready: true, reasons: [] }, ["store is away"], 200, "ready\ndegraded: store is away\n"],
    [
      { ready: false, reasons: ["Redis is unavailable"] },
      ["Redis is unavailable"],
      503,
      "not ready\nnot ready: Redis is unavailable\n",
    ],
    [{ ready: false, reasons: ["stopping"] }, [], 503, "not ready\nnot ready: stopping\n"],
  ])("readyz of %o", async (readiness, degraded, statusCode, body) => {
    const app = appWith({
      readiness: () => readiness,
      degraded: () => degraded,
      status: () => {
        throw new Error("a probe must not have the whole status built");
      },
    });
    const response = await app.inject("/readyz");
    expect([response.statusCode, response.body]).toEqual([statusCode, body]);
  });
});

test("/api/v1/status is the view as it is", async () => {
  const response = await appWith({}).inject("/api/v1/status");
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.json()).toEqual(busyDaemon(10, nowMs));
});

describe("the page", () => {
  test("shows state, lag, error and flow of a sink without a script", async () => {
    const { body } = await appWith({}).inject("/");
    const row = /<tr role="row" data-key="directory\/payments\/payments-metrics\/mimir">.*?<\/tr>/s.exec(
      body,
    )?.[0];
    expect(row).toContain("Suspended");
    expect(row).toContain('data-label="Lag">31m');
    expect(row).toContain("HTTP 401: invalid API key");
    expect(row).toContain('<svg class="spark"');
    expect(body).toContain("spec.sinks[0].batch.maxSize: 9000 is more than 5000");
  });

  test("of a fleet says which replica it is, and which one ran a sink's last cycle", async () => {
    expect((await appWith({}).inject("/")).body).not.toContain("replica");
    const status = (): DaemonStatus => inFleet(busyDaemon(3, nowMs), "pod-1/4f2a");
    const app = appWith({ status });
    const { body } = await app.inject("/");
    expect(body).toContain('replica <bdi class="address">this-pod/0001</bdi>, one of 2');
    expect(body).toMatch(/Last cycle<\/bdi><\/dt><dd><bdi>run by pod-1\/4f2a, ended \S+ ago/);
    const found = await app.inject("/live?filter=pod-1");
    expect(found.body.match(/<tr role="row" data-key/g)).toHaveLength(3);
  });

  test("nothing that was read becomes markup", async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&</script><script>alert(2)</script>`;
    const poison = (value: unknown): unknown => {
      if (typeof value === "string") return /^\d{4}-/.test(value) ? value : hostile;
      if (Array.isArray(value)) return value.map(poison);
      if (typeof value !== "object" || value === null) return value;
      const fixed = new Set(["type", "status", "state"]);
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, fixed.has(key) ? inner : poison(inner)]),
      );
    };
    const status = poison({
      ...inFleet(busyDaemon(10, nowMs), hostile),
      degraded: [hostile],
    }) as DaemonStatus;
    const app = appWith({ status: () => status, readiness: () => ({ ready: false, reasons: [hostile] }) });
    for (const path of ["/", "/live", `/?filter=${encodeURIComponent(hostile)}`]) {
      const { body, statusCode } = await app.inject(path);
      expect(statusCode).toBe(200);
      expect(body).toContain("&lt;img src=x onerror=alert(1)&gt;");
      expect(body).not.toContain("<img");
      expect(body.match(/<script/g) ?? []).toHaveLength(path === "/live" ? 0 : 1);
    }
  });

  test("the policy for scripts allows exactly the page's own", async () => {
    const { headers } = await appWith({}).inject("/");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';/,
    );
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  test("a thousand sinks are bounded by default, and all of them on demand", async () => {
    const daemon = busyDaemon(1_000, nowMs);
    const app = appWith({ status: () => daemon });
    const rows = async (path: string) =>
      (await app.inject(path)).body.match(/<tr role="row" data-key/g)?.length;
    expect(await rows("/")).toBe(11);
    expect(await rows("/live?sort=name")).toBe(200);
    expect(await rows("/live?limit=all")).toBe(1_000);
    expect(await rows("/live?health=retrying")).toBe(11);
    const { body } = await app.inject("/");
    expect(body).toContain('11 of 1,000, those that need a look · <a href="./?limit=all">show all 1,000</a>');
    expect(body).toContain('<a href="./?limit=all#policies">show all ');
    const news = async (path: string) =>
      /data-news="(.*?), \d+ in trouble/.exec((await app.inject(path)).body)?.[1];
    expect(await news("/")).toBe("11 of 1,000 sinks shown");
    expect(await news("/?limit=all")).toBe("1,000 sinks shown");
    expect(await news("/?limit=all&health=retrying")).toBe("11 of 1,000 sinks shown");
  });

  test("an error that several sinks share is shown once, with a link to them", async () => {
    const daemon = busyDaemon(4, nowMs);
    const failing = [condition("Delivering", "False", "Suspended", "401 <b>", nowMs)];
    const policies = daemon.policies.map((policy) => ({
      ...policy,
      sinks: policy.sinks.map((sink) => ({ ...sink, conditions: failing, lastError: undefined })),
    }));
    const app = appWith({ status: () => ({ ...daemon, policies }) as unknown as DaemonStatus });
    const { body } = await app.inject("/");
    const [, link = ""] = /<a class="name" href="\.(\/\?problem=[^"]+)">4 sinks<\/a>/.exec(body) ?? [];
    const row = /<tr role="row" data-key.*?<\/tr>/s.exec(body)?.[0] ?? "";
    expect(row).toContain(">the error of 4 sinks</a>");
    expect(body.match(/<bdi class="(fault|message)">401 &lt;b&gt;/g)).toHaveLength(1);
    const chosen = (await app.inject(link)).body;
    expect(chosen.match(/<tr role="row" data-key/g)).toHaveLength(4);
    expect(chosen).toContain("clear the filter");
    expect((await app.inject("/?problem=other-id")).body).toContain("No sink matches the filter.");
  });

  test("says so where there is nothing yet, or nothing that fits", async () => {
    const empty = appWith({ status: () => ({ ...busyDaemon(0, nowMs), state: "starting" }) });
    expect((await empty.inject("/")).body).toContain("No sink yet.");
    const source = { url: "http://127.0.0.1:8428/", flavor: "unknown" };
    const status = { ...busyDaemon(0, nowMs), policyDirectory: "/etc/<policies>", source };
    const { body } = await appWith({ status: () => status }).inject("/");
    expect(body).toContain('read from <bdi class="address">/etc/&lt;policies&gt;</bdi>');
    expect(body).toContain("(not reached yet)");
    expect((await appWith({}).inject("/?filter=nowhere")).body).toContain("No sink matches the filter.");
  });
});

test("a sink's query and its faults are on the page; a link leads to the queues that there are", async () => {
  const { policies, ...others } = busyDaemon(1, nowMs);
  const [policy] = policies;
  const [sink] = policy?.sinks ?? [];
  if (policy === undefined || sink === undefined) throw new Error("no sink");
  const refused = condition("Accepted", "False", "InvalidTarget", "no such <sink>", nowMs);
  const sources = [
    { name: "all", query: 'up{job="<b>"}', checkpoint: "2026", series: 3, samplesPerMinute: 12 },
  ];
  const ready = condition("Ready", "False", "SinksNotAccepted", "0/1", nowMs);
  const shown = { ...policy, conditions: [ready], sinks: [{ ...sink, sources, conditions: [refused] }] };
  const input = { status: () => ({ ...others, policies: [shown] }) };
  const { body } = await appWith(input).inject("/");
  expect(body).toContain("up{job=&quot;&lt;b&gt;&quot;}");
  expect(body).toContain("3 series, 12 samples a minute, has everything up to 2026");
  expect(body).toContain("HTTP 204, 4s ago");
  expect(body).toContain(`${sink.name}: no such &lt;sink&gt;`);
  expect(body).not.toContain('href="queues"');
  const withQueues = appWith({ ...input, dashboard: async () => undefined });
  expect((await withQueues.inject("/")).body).toContain('href="queues"');
});

describe("faults", () => {
  test("get responses without what is inside them", async () => {
    const app = appWith({
      status: () => {
        throw new Error("secret internals");
      },
    });
    const response = await app.inject("/api/v1/status");
    expect([response.statusCode, response.body]).toEqual([500, "internal error; the log says more\n"]);
  });

  test.each([
    ["GET", "/nowhere", 404],
    ["POST", "/metrics", 404],
    ["GET", "/%E0%A4%A", 400],
  ] as const)("%s %s is %d", async (method, url, statusCode) => {
    const response = await appWith({}).inject({ method, url });
    expect(response.statusCode).toBe(statusCode);
  });
});

describe("host names", () => {
  const from = (host: string, url: string, input: Partial<OpsInput> = {}) =>
    appWith(input).inject({ url, headers: { host } });

  test.each(["/", "/live", "/metrics", "/api/v1/status", "/queues", "/nothing"])(
    "%s is not there for a name that another site made up",
    async (url) => {
      const { statusCode, body } = await from("rebound.evil.example:9464", url);
      expect(statusCode).toBe(421);
      expect(body).toContain("ops.hosts");
      expect(body).not.toContain("evil");
    },
  );

  test("health is there for everybody", async () => {
    for (const url of ["/healthz", "/readyz"]) {
      expect((await from("balancer.example", url)).statusCode).toBe(200);
    }
  });

  test("addresses, localhost and configured names are known", async () => {
    for (const host of ["127.0.0.1:9464", "10.2.3.4", "[::1]:9464", "localhost", "Ops.Example"]) {
      expect((await from(host, "/metrics", { hosts: ["ops.example"] })).statusCode).toBe(200);
    }
  });

  test("two Host headers are refused, whatever the first one is", async () => {
    await using app = appWith({});
    const address = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const status = await statusOfRaw(
      address,
      "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nhost: evil\r\n\r\n",
    );
    expect(status).toBe(400);
  });
});

/** The status of the response to a raw request that no client would send. */
function statusOfRaw({ hostname, port }: URL, request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.once("data", (head) => {
      resolve(Number(head.toString("latin1").split(" ")[1]));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
