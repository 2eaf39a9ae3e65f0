import { compressBody } from "./compression.ts";
import type { EncodedRequest } from "./request.ts";
import { closeMessage, maxTextBytes, writeText, writeVarint } from "./wire.ts";
import { type MetricMetadata, metricTypes } from "./write-request-v2.ts";

/** The metadata of a metric family, as one `MetricMetadata` message of remote write 1.0. */
export interface FamilyMetadata extends MetricMetadata {
  /** The family's name: that of its series without their suffixes. */
  readonly family: string;
}

/** A request of metadata alone, and the number of families in it. */
interface MetadataRequest {
  readonly request: EncodedRequest;
  readonly families: number;
}

/** As Prometheus sends it (`metadata_config.max_samples_per_send`). */
const maxFamilies = 500;
/** A request ends with the family whose upper bound reaches this uncompressed size. */
const maxRequestBytes = 2 ** 20;

const metadataTag = 0x1a;
const typeTag = 0x08;
const familyTag = 0x12;
const helpTag = 0x22;
const unitTag = 0x2a;
/** Tag and length of the message, and the type. */
const otherBytes = 1 + 5 + 2;

/**
 * Encodes families as `prometheus.WriteRequest` bodies (remote write 1.0) without samples. Each body is
 * encoded when it is asked for, so that a long list does not hold the event loop. Texts must be valid
 * Unicode.
 */
export function* metadataRequests(families: Iterable<FamilyMetadata>): Generator<MetadataRequest> {
  let group: FamilyMetadata[] = [];
  let groupBytes = 0;
  for (const family of families) {
    group.push(family);
    groupBytes += maxFamilyBytes(family);
    if (group.length < maxFamilies && groupBytes < maxRequestBytes) continue;
    yield encodeGroup(group, groupBytes);
    group = [];
    groupBytes = 0;
  }
  if (group.length > 0) yield encodeGroup(group, groupBytes);
}

function encodeGroup(group: readonly FamilyMetadata[], maxBytes: number): MetadataRequest {
  const out = Buffer.allocUnsafe(maxBytes);
  let at = 0;
  for (const family of group) at = writeFamily(out, family, at);
  const body = out.subarray(0, at);
  const request: EncodedRequest = {
    ...compressBody(body),
    protocol: "1.0",
    sampleCount: 0,
    seriesCount: 0,
    uncompressedBytes: body.length,
    minMs: Infinity,
    maxMs: -Infinity,
  };
  return { request, families: group.length };
}

function maxFamilyBytes({ family, help, unit }: FamilyMetadata): number {
  return otherBytes + 3 + maxTextBytes(family) + maxTextBytes(help) + maxTextBytes(unit);
}

function writeFamily(out: Buffer, { family, type, help, unit }: FamilyMetadata, offset: number): number {
  out[offset] = metadataTag;
  const contentAt = offset + 3;
  let at = contentAt;
  if (metricTypes[type] !== 0) {
    out[at] = typeTag;
    at = writeVarint(out, metricTypes[type], at + 1);
  }
  at = writeField(out, familyTag, family, at);
  at = writeField(out, helpTag, help, at);
  at = writeField(out, unitTag, unit, at);
  return closeMessage(out, offset + 1, contentAt, at);
}

/** An empty text is omitted, as proto3 requires. */
function writeField(out: Buffer, tag: number, text: string, offset: number): number {
  if (text === "") return offset;
  out[offset] = tag;
  return writeText(out, text, offset + 1);
}
