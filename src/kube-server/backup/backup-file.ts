import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, deflateRaw, inflateRaw } from "node:zlib";
import { TelemetrydError } from "../../base/core/errors.ts";
import { type BackupRecord, parseRecord } from "./backup-record.ts";

/**
 * The format of a backup: a line of text with the format's version; blocks, each a length (4 bytes, big
 * endian) and that many bytes of raw DEFLATE over lines of JSON, a record each; a length of 0; and the
 * SHA-256 of everything before it. Nothing follows.
 */
const format = 1;
const magic = "telemetryd backup ";
const checksumBytes = 32;
const blockChars = 256 * 1024;
/** More than the largest object twice, so more than any block of ours. */
const maxBlockBytes = 16 * 2 ** 20;
const maxTextBytes = 64 * 2 ** 20;

const compress = promisify(deflateRaw);
const decompress = promisify(inflateRaw);

/** Writes records as a backup, a block at a time. */
export class BackupWriter {
  readonly #write: (bytes: Buffer) => Promise<void>;
  readonly #hash = createHash("sha256");
  #lines: string[] = [];
  #chars = 0;
  #isBegun = false;
  #bytes = 0;

  /** @param write resolves once further bytes may come */
  constructor(write: (bytes: Buffer) => Promise<void>) {
    this.#write = write;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async add(record: BackupRecord): Promise<void> {
    const line = JSON.stringify(record);
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars >= blockChars) await this.#flush();
  }

  /** Writes the end mark, without which nobody restores the file. */
  async end(): Promise<void> {
    await this.#flush();
    await this.#put(lengthBytes(0));
    await this.#write(this.#hash.digest());
    this.#bytes += checksumBytes;
  }

  async #flush(): Promise<void> {
    if (!this.#isBegun) await this.#put(Buffer.from(`${magic}${format}\n`));
    this.#isBegun = true;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#chars = 0;
    const block = await compress(text, { level: constants.Z_BEST_SPEED });
    await this.#put(Buffer.concat([lengthBytes(block.length), block]));
  }

  async #put(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#write(bytes);
  }
}

/**
 * Reads a backup, the records of a block at a time. Only when it ends without an error is the file complete
 * and unchanged: read it once in full before anything is done with its records.
 *
 * @throws INVALID_ARGUMENT for a file that is no backup, is changed or truncated; STATE_UNUSABLE for one of a
 *   newer format
 */
export async function* readBackup(chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly BackupRecord[]> {
  const source = new ByteSource(chunks);
  const hash = createHash("sha256");
  const take = async (count: number): Promise<Buffer> => {
    const bytes = await source.take(count);
    if (bytes === undefined) throw damaged("it ends too early");
    hash.update(bytes);
    return bytes;
  };
  checkFirstLine(await source.line(64), hash);
  let last: BackupRecord | undefined;
  for (let isFirst = true; ; isFirst = false) {
    const length = (await take(4)).readUInt32BE();
    if (length === 0) break;
    if (length > maxBlockBytes) throw damaged("a block is too long");
    const records = await recordsOf(await take(length));
    if (isFirst && records[0]?.[0] !== "backup") throw damaged("its first record is missing");
    last = records.at(-1);
    yield records;
  }
  const checksum = await source.take(checksumBytes);
  if (checksum === undefined) throw damaged("it ends too early");
  if (!checksum.equals(hash.digest())) throw damaged("its checksum is wrong");
  if ((await source.take(1)) !== undefined) throw damaged("something follows its end");
  if (last?.[0] !== "end") throw damaged("its last record is missing");
}

function checkFirstLine(line: string | undefined, hash: { update(text: string): unknown }): void {
  if (line === undefined || !line.startsWith(magic)) throw damaged("it does not begin as one");
  const found = line.slice(magic.length);
  if (!/^[1-9]\d{0,5}$/.test(found)) throw damaged("it does not begin as one");
  if (Number(found) !== format) {
    throw new TelemetrydError(
      "STATE_UNUSABLE",
      `the backup was written by a newer telemetryd (format ${found}; this one knows ${format}): restore it with that version`,
    );
  }
  hash.update(`${line}\n`);
}

async function recordsOf(block: Buffer): Promise<BackupRecord[]> {
  try {
    const text = (await decompress(block, { maxOutputLength: maxTextBytes })).toString();
    return text.split("\n").map((line) => {
      const record = parseRecord(line);
      if (record === undefined) throw new Error("unknown record");
      return record;
    });
  } catch {
    throw damaged("a block cannot be read");
  }
}

function damaged(why: string): TelemetrydError {
  return new TelemetrydError(
    "INVALID_ARGUMENT",
    `the file is not a complete backup of telemetryd: ${why}; nothing was restored. Use another backup`,
  );
}

function lengthBytes(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** Bytes of a stream by number. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer[] = [];
  #size = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @returns undefined if fewer are left */
  async take(count: number): Promise<Buffer | undefined> {
    while (this.#size < count) if (!(await this.#fill())) return undefined;
    const all = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    const rest = all.subarray(count);
    this.#held = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return all.subarray(0, count);
  }

  /** @returns the text before the next line break, which is taken, too; undefined without one in the limit */
  async line(maxBytes: number): Promise<string | undefined> {
    let text = "";
    for (let count = 0; count < maxBytes; count++) {
      const byte = await this.take(1);
      if (byte === undefined) return undefined;
      if (byte[0] === 0x0a) return text;
      text += byte.toString("latin1");
    }
    return undefined;
  }

  async #fill(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    this.#held.push(value);
    this.#size += value.length;
    return true;
  }
}
