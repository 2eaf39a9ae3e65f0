import { expect, test } from "vitest";
import { defaultOpsAddress } from "./ops-address.ts";

test.each([
  [undefined, "http://127.0.0.1:9464"],
  ["127.0.0.1:9000", "http://127.0.0.1:9000"],
  ["0.0.0.0:9000", "http://127.0.0.1:9000"],
  [":9000", "http://127.0.0.1:9000"],
  ["[::]:9000", "http://[::1]:9000"],
  ["ops.example:80", "http://ops.example:80"],
  ["no address", "http://127.0.0.1:9464"],
])("with TELEMETRYD_OPS_LISTEN %j, a daemon is asked at %s", (listen, address) => {
  expect(defaultOpsAddress(listen)).toBe(address);
});
