import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TlsMaterial } from "./tls-material.ts";

const [one = "", two = ""] = rootCertificates;

let directory = "";
let caFile = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tls-material-"));
  caFile = join(directory, "ca.crt");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const half = `${one}\n${two.slice(0, two.length / 2)}`;

test.each([
  ["half written", half],
  ["empty", ""],
])("a CA file that is %s keeps the earlier authorities in force, until it is whole", async (_how, text) => {
  const material = new TlsMaterial({ caFile });
  const context = () => material.connectOptions().secureContext;
  await writeFile(caFile, one);
  const before = context();
  await writeFile(caFile, text);
  expect(context()).toBe(before);
  await writeFile(caFile, `${one}\n${two}\n`);
  expect(context()).not.toBe(before);
});

test.each([
  ["half written", half, /is not complete/],
  ["no certificate", "secret", /holds no certificate/],
])("without an earlier one, a CA file that is %s is an error", async (_how, text, message) => {
  await writeFile(caFile, text);
  expect(() => new TlsMaterial({ caFile }).connectOptions()).toThrow(message);
});
