import fc from "fast-check";
import { uncompressSync } from "snappy";
import { expect, test } from "vitest";
import { remoteWrite1 } from "../../../../test/support/receiver/protocol.ts";
import { type FamilyMetadata, metadataRequests } from "./metadata-request.ts";
import type { EncodedRequest } from "./request.ts";
import { type MetricType, metricTypes } from "./write-request-v2.ts";

const text = fc.string({ unit: "grapheme", maxLength: 300 });
const family: fc.Arbitrary<FamilyMetadata> = fc.record({
  family: text,
  type: fc.constantFrom(...(Object.keys(metricTypes) as MetricType[])),
  help: text,
  unit: text,
});

const bodyOf = ({ payload }: EncodedRequest) => uncompressSync(payload, { asBuffer: true }) as Buffer;

/** By the reference, which writes empty texts unless they are absent. */
function reference(families: readonly FamilyMetadata[]): Uint8Array {
  const metadata = families.map((one) => ({
    ...(one.type !== "unknown" && { type: metricTypes[one.type] }),
    ...(one.family !== "" && { metricFamilyName: one.family }),
    ...(one.help !== "" && { help: one.help }),
    ...(one.unit !== "" && { unit: one.unit }),
  }));
  return remoteWrite1.WriteRequest.encode({ metadata }).finish();
}

test("the body is, byte for byte, what the generated encoder writes", () => {
  fc.assert(
    fc.property(fc.array(family, { minLength: 1, maxLength: 30 }), (families) => {
      const requests = [...metadataRequests(families)];
      expect(requests).toHaveLength(1);
      const [{ request, families: count }] = requests as [(typeof requests)[0]];
      expect(bodyOf(request).equals(reference(families))).toBe(true);
      expect(count).toBe(families.length);
      expect(request).toMatchObject({
        protocol: "1.0",
        sampleCount: 0,
        seriesCount: 0,
        uncompressedBytes: bodyOf(request).length,
      });
    }),
  );
});

test.each([
  { families: 0, helpLength: 10, counts: [] },
  { families: 500, helpLength: 10, counts: [500] },
  { families: 1_001, helpLength: 10, counts: [500, 500, 1] },
  { families: 200, helpLength: 4_096, counts: [86, 86, 28] },
])("$families families with help of $helpLength bytes are cut into requests of $counts", (one) => {
  const help = "x".repeat(one.helpLength);
  const families = Array.from({ length: one.families }, (_, index) => ({
    ...{ family: `f${index}`, type: "gauge" as const, help, unit: "" },
  }));
  const requests = [...metadataRequests(families)];
  expect(requests.map((request) => request.families)).toEqual(one.counts);
  const sent = requests.flatMap(({ request }) => remoteWrite1.WriteRequest.decode(bodyOf(request)).metadata);
  expect(sent.map((each) => each.metricFamilyName)).toEqual(families.map((each) => each.family));
  for (const { request } of requests) expect(request.uncompressedBytes).toBeLessThan(2 ** 20);
});
