import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStored, storedParts, storedResourceVersion } from "./stored-object.ts";

test("what is written is read back with the version in its place", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('"resourceVersion":"1"', '","deletionTimestamp":"', "\\"),
  );
  fc.assert(
    fc.property(
      fc.dictionary(text, text),
      fc.dictionary(fc.string(), text),
      fc.boolean(),
      (annotations, data, leaves) => {
        const deletion = leaves ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
        const object = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { annotations, name: "a", resourceVersion: "7", ...deletion },
          data,
        };
        const { before, after } = storedParts(object);
        const json = `${before}42${after}`;
        expect(storedResourceVersion(json)).toBe("42");
        expect(parseStored(json)).toEqual(
          JSON.parse(JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: "42" } })),
        );
        expect(after.startsWith('","deletionTimestamp":"')).toBe(leaves);
      },
    ),
  );
});
