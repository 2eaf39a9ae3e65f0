import fc from "fast-check";
import { expect, test } from "vitest";
import { BackupWriter, readBackup } from "./backup-file.ts";
import type { BackupRecord } from "./backup-record.ts";

const head: BackupRecord = ["backup", { telemetryd: "1", createdAt: "2026-11-27T00:00:00Z" }];
const end: BackupRecord = ["end", "1"];

async function written(records: readonly BackupRecord[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  const writer = new BackupWriter(async (bytes) => void parts.push(bytes));
  for (const record of records) await writer.add(record);
  await writer.end();
  const all = Buffer.concat(parts);
  expect(writer.bytes).toBe(all.length);
  return all;
}

/** In chunks of this size. */
async function read(bytes: Buffer, chunk = 1_000): Promise<BackupRecord[]> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const all: BackupRecord[] = [];
  for await (const records of readBackup(chunks())) all.push(...records);
  return all;
}

const anyRecord: fc.Arbitrary<BackupRecord> = fc.oneof(
  fc.tuple(
    fc.constant("object" as const),
    fc.nat(),
    fc.string(),
    fc.string({ unit: "binary", maxLength: 300 }),
  ),
  fc.tuple(fc.constant("hash" as const), fc.string(), fc.string({ unit: "binary" }), fc.string()),
);

test("records are read as they were written, in whatever chunks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRecord), fc.integer({ min: 1, max: 500 }), async (some, chunk) => {
      const records = [head, ...some, end];
      expect(await read(await written(records), chunk)).toEqual(records);
    }),
    { numRuns: 50 },
  );
});

test("records of many blocks, and one that is larger than a block", async () => {
  const large = (section: number): BackupRecord => ["object", section, "key", "x".repeat(section * 40_000)];
  const records = [head, ...Array.from({ length: 20 }, (_, index) => large(index)), end];
  expect(await read(await written(records))).toEqual(records);
});

test("no changed or truncated file is read to its end", async () => {
  const records = [head, ...fc.sample(anyRecord, { numRuns: 20, seed: 1 }), end];
  const whole = await written(records);
  const refused = async (bytes: Buffer) => await expect(read(bytes)).rejects.toThrow(/backup/);
  for (let length = 0; length < whole.length; length += 7) await refused(whole.subarray(0, length));
  await refused(Buffer.concat([whole, Buffer.from([0])]));
  await refused(Buffer.concat([whole, whole]));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ bits;
      await refused(changed);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["no first record", [end]],
  ["no last record", [head]],
] as const)("%s", async (_name, records) => {
  await expect(read(await written(records))).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a file of a newer format says so", async () => {
  const text = (await written([head, end])).toString("latin1").replace("backup 1\n", "backup 2\n");
  await expect(read(Buffer.from(text, "latin1"))).rejects.toMatchObject({
    code: "STATE_UNUSABLE",
    message: expect.stringContaining("written by a newer telemetryd (format 2; this one knows 1)"),
  });
});
