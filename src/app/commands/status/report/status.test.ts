import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { busyDaemon, condition, inFleet } from "../../../../../test/support/daemon/daemon-status.ts";
import { Releasers } from "../../../../base/core/service.ts";
import { type StatusOptions, showStatus } from "./status.ts";
import { statusTable } from "./status-table.ts";
import { statusWarnings } from "./status-warnings.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const at = (ms: number) => new Date(nowMs + ms).toISOString();
const daemon = busyDaemon(5, nowMs);
const plain = { wide: false, sort: "name" } as const;
const wide = { ...plain, wide: true };
const forever = new AbortController().signal;

describe("statusTable", () => {
  test("as kubectl prints it, a policy without sinks included", () => {
    expect(statusTable(daemon, plain, nowMs)).toMatchInlineSnapshot(`
      "NAMESPACE   POLICY             SINK         READY   DELIVERING   LAG   DELIVERED   REJECTED   AGE   LAST ERROR
      lab         probe              -            False   -            -     -           -          95s   spec.sinks[0].sources[1]: there is no source "cpu-usage"; the policy has "cpu", "memory" spec.sinks[0].batch.maxSize: 9000 is more than 5000 (95s ago)
      payments    payments-metrics   mimir        True    Suspended    31m   158M        0          15m   HTTP 401: invalid API key (88s ago)
      payments    payments-metrics   prometheus   True    UpToDate     14s   24M         137        15m   -
      shop        shop-metrics       mimir        True    UpToDate     14s   90.5M       0          15m   -
      web         web-metrics        mimir        True    UpToDate     12s   56.6M       0          15m   -
      web         web-metrics        prometheus   True    UpToDate     9s    347M        0          15m   -
      "
    `);
  });

  test("wide says everything, uncut", () => {
    const table = statusTable(daemon, wide, nowMs);
    expect(table).toContain("RETRIES   CHECKPOINT");
    expect(table).toContain("https://mimir.example.com/api/v1/push");
    expect(table).toContain("spec.sinks[0].batch.maxSize: 9000 is more than 5000");
  });

  test("AGE is the time in the state; when data is lost is a column while a sink is in trouble", () => {
    expect(statusTable(daemon, plain, nowMs)).not.toContain("LOSES DATA IN");
    const times = { stateSince: at(-420_000), losesDataAt: at(3 * 3_600_000), nextAttemptAt: at(30_000) };
    const policies = daemon.policies.map((policy) => ({
      ...policy,
      sinks: policy.sinks.map((sink) => (sink.lastError === undefined ? sink : { ...sink, ...times })),
    }));
    const trouble = { ...daemon, policies };
    expect(statusTable(trouble, plain, nowMs)).toMatch(
      /AGE +LOSES DATA IN +LAST ERROR[\s\S]* 7m +3h +HTTP 401/,
    );
    expect(statusTable(trouble, wide, nowMs)).toMatch(/LOSES DATA IN +NEXT ATTEMPT[\s\S]* 7m +3h +30s /);
  });

  test("an error that many sinks share stands once below the table; wide has it in each row", () => {
    const times = { stateSince: at(-600_000), losesDataAt: at(20 * 3_600_000) };
    const failing = {
      conditions: [condition("Delivering", "False", "Suspended", "", 0)],
      lastError: { at: at(-12_000), message: `401 "${"invalid API key ".repeat(9)}"` },
    };
    const policies = daemon.policies.map((policy) => ({
      ...policy,
      sinks: policy.sinks.map((sink) => ({ ...sink, ...failing, ...times })),
    }));
    const table = statusTable({ ...daemon, policies }, plain, nowMs);
    expect(table.match(/ \[1\] \(12s ago\)\n/g)).toHaveLength(5);
    expect(table).toMatch(
      /\n\[1\] 5 sinks Suspended: 401 "(invalid API key ){9}" \(first 10m ago, loses data in 20h\)\n$/,
    );
    expect(statusTable({ ...daemon, policies }, wide, nowMs)).not.toContain(" [1] ");
  });

  test("wide says what sources select, and the receiver's last response", () => {
    const source = { name: "a", series: 1_200, samplesPerMinute: 4_800 };
    const more = {
      sources: [source, { ...source, name: "b" }],
      lastResponse: { at: at(-3_000), status: 204 },
    };
    const policies = daemon.policies.map((policy) => ({
      ...policy,
      sinks: policy.sinks.map((sink) => ({ ...sink, ...more })),
    }));
    expect(statusTable({ ...daemon, policies }, wide, nowMs)).toMatch(
      /SERIES +SAMPLES\/MIN +RESPONSE[\s\S]* 2,400 +9,600 +204 \(3s ago\)/,
    );
  });

  test("wide says what became of late samples", () => {
    expect(statusTable(daemon, wide, nowMs)).toMatch(/LATE +LATE REJECTED +UNCHECKED[\s\S]* 1,200 +12 +5m /);
  });

  test("wide names the replica that ran a sink's last cycle, where replicas share them", () => {
    expect(statusTable(daemon, wide, nowMs)).not.toContain("REPLICA");
    expect(statusTable(inFleet(daemon, "pod-1/4f2a"), wide, nowMs)).toMatch(
      /REPLICA.*\n(?:.*\n)*.*pod-1\/4f2a/,
    );
  });

  test("a hostile error cannot write over the terminal", () => {
    const status = JSON.parse(
      JSON.stringify(daemon).replaceAll("invalid API key", "\\u001b[2Jgone"),
    ) as typeof daemon;
    expect(statusTable(status, plain, nowMs)).toContain("HTTP 401: \uFFFD[2Jgone");
  });
});

test("statusWarnings say what concerns the whole daemon", () => {
  expect(statusWarnings(daemon)).toEqual([]);
  expect(
    statusWarnings({
      ...daemon,
      ready: false,
      degraded: ["one policy file cannot be read"],
    }),
  ).toEqual(["the daemon is not ready", "one policy file cannot be read"]);
  expect(statusWarnings({ ...daemon, state: "stopping", ready: false })).toEqual(["the daemon is stopping"]);
});

describe("showStatus", () => {
  const releasers = new Releasers();
  afterEach(() => releasers.releaseAll());

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, "127.0.0.1");
    releasers.push(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "";
  }

  async function show(
    address: string,
    output: "table" | "wide" | "json" = "table",
  ): Promise<{ out: string; warnings: string }> {
    const written = { out: "", warnings: "" };
    const sink = (stream: "out" | "warnings") => ({
      write: (text: string) => {
        written[stream] += text;
      },
    });
    await showStatus({ address, output }, sink("out"), sink("warnings"), nowMs, forever);
    return written;
  }

  test("asks the daemon, whichever way its address is written", async () => {
    const address = await serve((request, response) => {
      response.end(request.url === "/api/v1/status" ? JSON.stringify(daemon) : "");
    });
    for (const written of [address, `http://${address}`, `http://${address}/`]) {
      expect((await show(written)).out).toBe(statusTable(daemon, plain, nowMs));
    }
    expect(JSON.parse((await show(address, "json")).out)).toEqual(daemon);
  });

  test("wide says what to do about late samples that were refused", async () => {
    const address = await serve((_, response) => response.end(JSON.stringify(daemon)));
    expect((await show(address)).warnings).toBe("");
    expect((await show(address, "wide")).warnings).toBe(
      "Note: 12 late samples were refused by the receiver; a Prometheus takes them with storage.tsdb.out_of_order_time_window\n",
    );
  });

  test("says that there is nothing yet, apart from the output", async () => {
    const address = await serve((_, response) => {
      response.end(JSON.stringify({ ...busyDaemon(0, nowMs), degraded: ["the metrics store is away"] }));
    });
    expect(await show(address)).toEqual({
      out: "",
      warnings: "Warning: the metrics store is away\nNo policies found.\n",
    });
  });

  test.each([
    ["an error", 500, "{}"],
    ["another server's page", 200, "<html>"],
    ["another server's JSON", 200, '{"status":"success"}'],
    ["a redirect", 302, ""],
  ])("%s is not taken for a daemon", async (_, statusCode, body) => {
    const address = await serve((_, response) => {
      response.writeHead(statusCode, { location: "http://127.0.0.1:1/" }).end(body);
    });
    await expect(show(address)).rejects.toMatchObject({
      code: "UNREACHABLE",
      message: `http://${address} responds with HTTP ${statusCode}, but not as telemetryd's ops address does; give the address of ops.listen with --address`,
    });
  });

  test("nobody there", async () => {
    await expect(show("127.0.0.1:1")).rejects.toMatchObject({
      code: "UNREACHABLE",
      message: expect.stringMatching(
        /^no telemetryd responds at http:\/\/127\.0\.0\.1:1 \(.*(bad port|ECONNREFUSED).*\); is it running/,
      ),
    });
  });

  test.each<[string, Partial<StatusOptions>, RegExp]>([
    ["JSON has no rows to sort", { output: "json", sort: "lag" }, /--sort orders a table/],
    ["an interval between what", { interval: 2_000 }, /add --watch/],
  ])("%s", async (_, options, message) => {
    const contradicting = { address: "127.0.0.1:1", output: "table", ...options } as const;
    await expect(
      showStatus(contradicting, process.stdout, process.stderr, nowMs, forever),
    ).rejects.toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
  });

  test("no address", async () => {
    await expect(show("http://[")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });
});
