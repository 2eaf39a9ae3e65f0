import snappy from "snappy";
import { prometheus } from "../../src/exporter/metrics-store/prometheus/gen/remote-read.js";

/** Requests to `/api/v1/read`, decoded and encoded by the generated code, as servers see them. */
export function decodeReadRequest(body: Buffer): prometheus.ReadRequest {
  return prometheus.ReadRequest.decode(snappy.uncompressSync(body, { asBuffer: true }) as Buffer);
}

/** The same request as a client makes it that does not know chunks. */
export function withoutChunks(body: Buffer): Buffer<ArrayBuffer> {
  const request = decodeReadRequest(body);
  request.acceptedResponseTypes = [prometheus.ReadRequest.ResponseType.SAMPLES];
  return Buffer.from(snappy.compressSync(Buffer.from(prometheus.ReadRequest.encode(request).finish())));
}
