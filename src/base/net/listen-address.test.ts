import { createServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Releasers } from "../core/service.ts";
import { formatListenAddress, type Listener, listenOn, parseListenAddress } from "./listen-address.ts";

describe("parseListenAddress", () => {
  test.each([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["localhost:0", { host: "localhost", port: 0 }],
    ["[::1]:80", { host: "::1", port: 80 }],
    ["[fe80::1%eth0]:80", { host: "fe80::1%eth0", port: 80 }],
    [":80", { host: "", port: 80 }],
    ["[::]:65535", { host: "::", port: 65_535 }],
    ["127.0.0.1:65536", undefined],
    ["127.0.0.1", undefined],
    ["127.0.0.1:", undefined],
    ["::1:80", undefined],
    ["[::1]", undefined],
    ["http://127.0.0.1:80", undefined],
    ["user@host:80", undefined],
    ["[127.0.0.1]:80", undefined],
    ["[::g]:80", undefined],
    ["80", undefined],
    ["", undefined],
  ])("%s", (text, expected) => {
    expect(parseListenAddress(text)).toEqual(expected);
  });
});

test.each(["127.0.0.1:9464", "[::1]:80", ":80", "localhost:0"])("%s is written as it was read", (text) => {
  expect(formatListenAddress(parseListenAddress(text)!)).toBe(text);
});

describe("listenOn", () => {
  const releasers = new Releasers();
  afterEach(() => releasers.releaseAll());

  function listener(): Listener {
    const server = createServer();
    return {
      listen: (address) =>
        new Promise((resolve, reject) => {
          server.once("error", reject);
          server.listen(address, () => {
            releasers.push(() => server.close());
            const bound = server.address();
            resolve(typeof bound === "object" && bound !== null ? String(bound.port) : "");
          });
        }),
    };
  }

  test("says which key asks for a taken address", async () => {
    const port = await listenOn(listener(), { host: "127.0.0.1", port: 0 }, "ops.listen");
    await expect(
      listenOn(listener(), { host: "127.0.0.1", port: Number(port) }, "ops.listen"),
    ).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
      message: `ops.listen: cannot listen on "127.0.0.1:${port}": another process uses the port`,
    });
  });

  test("without a host it takes IPv4 as well", async () => {
    const port = await listenOn(listener(), { host: "", port: 0 }, "ops.listen");
    await expect(
      listenOn(listener(), { host: "0.0.0.0", port: Number(port) }, "ops.listen"),
    ).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
    });
  });

  test("an address of another machine is refused", async () => {
    await expect(listenOn(listener(), { host: "192.0.2.1", port: 0 }, "api.listen")).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
      message: 'api.listen: cannot listen on "192.0.2.1:0": this machine does not have the address',
    });
  });
});
