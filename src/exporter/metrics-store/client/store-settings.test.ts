import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../base/core/clock.ts";
import { isThisHost, type MetricsStoreSettings, StoreHeaders } from "./store-settings.ts";

const forever = new AbortController().signal;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-settings-"));
});
afterAll(() => rm(folder, { recursive: true }));

function settings(more: Partial<MetricsStoreSettings>): MetricsStoreSettings {
  return { url: "http://127.0.0.1:8428", flavor: "auto", concurrency: 2, ...more };
}

describe("request headers", () => {
  const headersOf = (more: Partial<MetricsStoreSettings>) =>
    new StoreHeaders(settings(more), systemClock).value(forever);

  test("a password is read from its file, and again when that has changed", async () => {
    const passwordFile = join(folder, "password");
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const headers = new StoreHeaders(settings({ basicAuth: { username: "ü", passwordFile } }), clock);
    await writeFile(passwordFile, "one:two\n");
    const expected = (password: string) => `Basic ${Buffer.from(`ü:${password}`).toString("base64")}`;
    expect(await headers.value(forever)).toEqual({ authorization: expected("one:two") });
    await writeFile(passwordFile, "renewed\r\n");
    nowMs = 60_000;
    expect(await headers.value(forever)).toEqual({ authorization: expected("renewed") });
  });

  test("a bearer token, and other headers beside it", async () => {
    const bearerTokenFile = join(folder, "token");
    await writeFile(bearerTokenFile, "t0ken");
    expect(await headersOf({ bearerTokenFile, headers: { "X-Scope-OrgID": "acme" } })).toEqual({
      "X-Scope-OrgID": "acme",
      authorization: "Bearer t0ken",
    });
  });

  test("a file that is missing is an error that names it", async () => {
    await expect(headersOf({ bearerTokenFile: join(folder, "none") })).rejects.toThrow("none");
  });

  test("compression is asked for only when the store is elsewhere", async () => {
    expect(await headersOf({ bearerTokenFile: "" })).toEqual({});
    expect(await headersOf({ url: "https://store.example.com/select/0/prometheus" })).toEqual({
      "accept-encoding": "gzip",
    });
  });
});

test.each([
  ["localhost", true],
  ["LOCALHOST", true],
  ["store.localhost", true],
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["[::1]", true],
  ["192.0.2.1", false],
  ["[2001:db8::1]", false],
  ["store.example.com", false],
])("%s is this host: %s", (host, expected) => {
  expect(isThisHost(host)).toBe(expected);
});

test("the addresses of this host's interfaces are this host", () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])) {
    expect(isThisHost(address), address).toBe(true);
  }
});
