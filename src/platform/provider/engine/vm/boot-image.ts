import { open } from "node:fs/promises";
import { describeError } from "../../../../base/core/errors.ts";

/** An image that disks of virtual machines begin with. */
export interface BootImage {
  readonly format: "qcow2" | "raw";
  /** Size of the disk that it describes. */
  readonly sizeBytes: number;
}

const headerBytes = 104;
const externalDataFile = 1n << 2n;

/**
 * What an image is by its first bytes (QEMU's docs/interop/qcow2.txt): one that names other files would have
 * them read.
 *
 * @returns the problem in words, if it cannot be used
 */
export function imageOf(head: Buffer, fileBytes: number): BootImage | string {
  if (head.toString("latin1", 0, 4) !== "QFI\xfb") {
    if (fileBytes === 0 || fileBytes % 512 !== 0) return "it is no qcow2, and no raw disk of whole sectors";
    return { format: "raw", sizeBytes: fileBytes };
  }
  if (head.length < headerBytes) return "its header is not whole";
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) return `it is qcow2 of version ${version}, not 2 or 3`;
  if (head.readBigUInt64BE(8) !== 0n) return "it has a backing file: convert it with qemu-img";
  if (head.readUInt32BE(32) !== 0) return "it is encrypted";
  if (version === 3 && (head.readBigUInt64BE(72) & externalDataFile) !== 0n)
    return "its data are in another file";
  return { format: "qcow2", sizeBytes: Number(head.readBigUInt64BE(24)) };
}

/** @returns the problem in words, if it cannot be used */
export async function readImage(file: string): Promise<BootImage | string> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    return imageOf(buffer.subarray(0, bytesRead), size);
  } catch (error) {
    return describeError(error);
  }
}
