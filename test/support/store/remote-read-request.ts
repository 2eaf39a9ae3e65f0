import snappy from "snappy";
import { type ReadRequest, remoteRead } from "../receiver/protocol.ts";

/** Requests to `/api/v1/read`, decoded and encoded by the reference, as servers see them. */
export function decodeReadRequest(body: Buffer): ReadRequest {
  return remoteRead.ReadRequest.decode(snappy.uncompressSync(body, { asBuffer: true }) as Buffer);
}

/** The same request as a client makes it that does not know chunks. */
export function withoutChunks(body: Buffer): Buffer<ArrayBuffer> {
  const { SAMPLES = 0 } = remoteRead.ResponseType;
  const request = { ...decodeReadRequest(body), acceptedResponseTypes: [SAMPLES] };
  return Buffer.from(snappy.compressSync(Buffer.from(remoteRead.ReadRequest.encode(request).finish())));
}
