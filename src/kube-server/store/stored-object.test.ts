import fc from "fast-check";
import { expect, test } from "vitest";
import { configMapKind } from "../kinds/config-map.ts";
import {
  parseServed,
  parseStored,
  servedJson,
  servedObject,
  storedForm,
  storedObject,
  storedParts,
  storedResourceVersion,
} from "./stored-object.ts";

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
        expect(JSON.stringify(storedObject(object, "42"))).toBe(json);
        expect(after.startsWith('","deletionTimestamp":"')).toBe(leaves);
      },
    ),
  );
});

test("two groups serve one object, each with its own apiVersion", () => {
  const alias = { ...configMapKind, group: "other.example", storedAs: configMapKind };
  const text = fc.oneof(fc.string(), fc.constantFrom(',"kind":', '{"apiVersion":"v1"', "\\"));
  fc.assert(
    fc.property(fc.dictionary(text, text), (data) => {
      const given = { apiVersion: "other.example/v1", kind: "ConfigMap", metadata: { name: "a" }, data };
      const { before, after } = storedParts(storedForm(given, alias));
      const json = `${before}42${after}`;
      expect(parseStored(json).apiVersion).toBe("v1");
      expect(servedJson(json, configMapKind)).toBe(json);
      const served = parseServed(json, alias);
      expect(served).toEqual(servedObject(parseStored(json), alias));
      expect(served).toEqual(
        JSON.parse(JSON.stringify({ ...given, metadata: { name: "a", resourceVersion: "42" } })),
      );
    }),
  );
});
