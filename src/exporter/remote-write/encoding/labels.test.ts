import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plainShape as plain } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite1 } from "../../../../test/support/receiver/protocol.ts";
import { seriesOf } from "../../../../test/support/store/series.ts";
import { ruleOf, type WrittenRule } from "../../relabel/check-rule.ts";
import { bytesOf } from "../../series/label-blocks.ts";
import { legalizeLabelName } from "../../series/label-name.ts";
import { type Label, Series } from "../../series/series.ts";
import { legalLabels } from "./label-names.ts";
import { type LabelShape, maxLabelBytes, maxLabels, seriesEncoderFor } from "./labels.ts";

const legacy: LabelShape = { ...plain, names: "legacy" };

/** The shape of a sink with rules. */
function ruled(rules: readonly WrittenRule[], shape: LabelShape = plain): LabelShape {
  return { ...shape, relabel: rules.map(ruleOf) };
}

function sentLabels(shape: LabelShape, labels: Record<string, string>): string[] {
  const form = seriesEncoderFor(shape).encode(seriesOf(labels));
  if (form.kind !== "series") return [form.reason];
  const decoded = remoteWrite1.TimeSeries.decode(bytesOf(form));
  return (decoded.labels ?? []).map((label) => `${label.name}=${label.value}`);
}

describe("relabelled", () => {
  const rename: WrittenRule = { sourceLabels: ["__name__"], targetLabel: "__name__", replacement: "app_$1" };
  const copy: WrittenRule = { sourceLabels: ["project"], targetLabel: "copy" };
  const ofTenant = { ...plain, tenantLabel: "project" };
  const dropAll: WrittenRule = { action: "labelkeep", regex: "nothing" };
  test.each<[string, LabelShape, Record<string, string>, string[]]>([
    ["renamed", ruled([rename]), { __name__: "up" }, ["__name__=app_up"]],
    ["dropped", ruled([{ ...rename, action: "drop", regex: "up" }]), { __name__: "up" }, ["relabel"]],
    ["no label left", ruled([dropAll]), { __name__: "up" }, ["relabel"]],
    [
      "no name left",
      ruled([{ action: "labeldrop", regex: "__name__" }]),
      { __name__: "up", a: "b" },
      ["no_name"],
    ],
    [
      "__ labels stay",
      ruled([{ ...rename, targetLabel: "__x" }]),
      { __name__: "up" },
      ["__name__=up", "__x=app_up"],
    ],
    [
      "before the operator's labels",
      ruled([{ sourceLabels: ["cluster"], targetLabel: "seen" }], {
        ...plain,
        externalLabels: { cluster: "a" },
      }),
      { __name__: "up" },
      ["__name__=up", "cluster=a"],
    ],
    [
      "the operator's rules come last",
      {
        ...ruled([rename]),
        externalLabels: { zone: "a" },
        endpointRelabel: [ruleOf({ sourceLabels: ["zone", "__name__"], targetLabel: "z" })],
      },
      { __name__: "up" },
      ["__name__=app_up", "z=a;app_up", "zone=a"],
    ],
    [
      "the tenant label is neither read nor removed",
      ruled([copy, { action: "labelkeep", regex: "__name__" }], ofTenant),
      { __name__: "up", project: "web" },
      ["__name__=up", "project=web"],
    ],
    [
      "nor by the operator's rules",
      { ...ofTenant, endpointRelabel: [ruleOf(copy), ruleOf(dropAll)] },
      { __name__: "up", project: "web", a: "b" },
      ["relabel"],
    ],
    [
      "legal names come last",
      ruled([{ sourceLabels: ["__name__"], targetLabel: "a.b" }], legacy),
      { __name__: "up" },
      ["__name__=up", "a_b=up"],
    ],
    [
      "too costly",
      ruled([{ sourceLabels: ["a"], regex: "(x|y|z){100}(.*)", action: "keep" }]),
      { __name__: "up", a: "x".repeat(60_000) },
      ["relabel_cost"],
    ],
  ])("%s", (_, shape, labels, expected) => {
    expect(sentLabels(shape, labels)).toEqual(expected);
  });

  test("a series' identity outlives an edit of the rules", () => {
    const series = seriesOf({ __name__: "up", job: "x" });
    const identities = [plain, ruled([rename]), ruled([{ ...rename, replacement: "b_$1" }])].map((shape) => {
      const form = seriesEncoderFor(shape).encode(series);
      return form.kind === "series" ? [form.hashHigh, form.hashLow] : form.reason;
    });
    expect(identities[1]).toEqual(identities[0]);
    expect(identities[2]).toEqual(identities[0]);
  });

  test("rules run once for each series; an edited list is another shape, an equal one of the same object is not", () => {
    const shape = ruled([rename]);
    const series = seriesOf({ __name__: "up" });
    const form = seriesEncoderFor(shape).encode(series);
    expect(seriesEncoderFor({ ...shape }).encode(series)).toBe(form);
    expect(seriesEncoderFor(ruled([rename])).encode(series)).not.toBe(form);
  });

  test("a series keeps a bounded number of forms", () => {
    const series = seriesOf({ __name__: "up" });
    const shapes = Array.from({ length: 100 }, () => ruled([rename]));
    for (const shape of shapes) seriesEncoderFor(shape).encode(series);
    const kept = shapes.filter((shape) => series.form(seriesEncoderFor(shape).formIndex) !== undefined);
    expect(kept).toHaveLength(33);
  });
});

describe("labels as they are sent", () => {
  const external: LabelShape = { ...plain, externalLabels: { cluster: "a", zone: "" } };
  const dropped: LabelShape = { ...plain, dropLabels: ["pod", "cluster"] };
  const replaced: LabelShape = { ...dropped, externalLabels: { cluster: "a" } };
  test.each<[string, LabelShape, Record<string, string>, string[]]>([
    ["as they are", plain, { __name__: "up", job: "x" }, ["__name__=up", "job=x"]],
    ["empty values dropped", plain, { __name__: "up", job: "" }, ["__name__=up"]],
    [
      "external added, sorted in",
      external,
      { __name__: "up", job: "x" },
      ["__name__=up", "cluster=a", "job=x"],
    ],
    ["the series' own label wins", external, { __name__: "up", cluster: "b" }, ["__name__=up", "cluster=b"]],
    ["an empty one is none", external, { __name__: "up", cluster: "" }, ["__name__=up", "cluster=a"]],
    ["dropped", dropped, { __name__: "up", pod: "p", cluster: "b" }, ["__name__=up"]],
    [
      "dropped first, then external",
      replaced,
      { __name__: "up", cluster: "b" },
      ["__name__=up", "cluster=a"],
    ],
    [
      "any name",
      plain,
      { __name__: "a.b:c", "x-y": "1.5", ключ: "z" },
      ["__name__=a.b:c", "x-y=1.5", "ключ=z"],
    ],
    ["2.0 takes any name", { ...plain, protocol: "2.0" }, { __name__: "a.b" }, ["__name__=a.b"]],
    ["names made legal", legacy, { __name__: "a.b:c", "x-y": "1.5" }, ["__name__=a_b:c", "x_y=1.5"]],
    ["in 2.0, too", { ...legacy, protocol: "2.0" }, { __name__: "a.b" }, ["__name__=a_b"]],
    ["and sorted again", legacy, { __name__: "up", "a.z": "1", aa: "2" }, ["__name__=up", "a_z=1", "aa=2"]],
    ["two that become one", legacy, { __name__: "up", "a.b": "1", "a-b": "2" }, ["name_collision"]],
    ["two that do not", plain, { __name__: "up", "a.b": "1", "a-b": "2" }, ["__name__=up", "a-b=2", "a.b=1"]],
    ["no name", plain, { job: "x" }, ["no_name"]],
    ["an empty label name", plain, { __name__: "up", "": "x" }, ["empty_label_name"]],
    ["not UTF-8", plain, { __name__: "up", job: "\udc80" }, ["invalid_utf8"]],
    ["a name that is not UTF-8", legacy, { __name__: "up", "\udc80": "x" }, ["invalid_utf8"]],
    ["a metric name that is not UTF-8", legacy, { __name__: "\udc80" }, ["invalid_utf8"]],
    ["a label of 1 MB", plain, { __name__: "up", job: "x".repeat(2 ** 20) }, ["label_too_long"]],
    ["the longest label", plain, { __name__: "up", "0": "x".repeat(maxLabelBytes) }, ["0", "__name__=up"]],
  ])("%s", (_, shape, labels, expected) => {
    const sent = sentLabels(shape, labels);
    expect(sent.map((text) => (text.length > 1_000 ? text.slice(0, 1) : text))).toEqual(expected);
  });

  test("more labels than anyone takes", () => {
    const labels = {
      __name__: "up",
      ...Object.fromEntries(Array.from({ length: maxLabels }, (_, n) => [`l${n}`, "x"])),
    };
    expect(sentLabels(plain, labels)).toEqual(["too_many_labels"]);
  });

  test("many long labels that are too much together", () => {
    const long = Array.from({ length: 40 }, (_, n) => [`l${n}`, "x".repeat(maxLabelBytes / 2)]);
    expect(sentLabels(plain, { __name__: "up", ...Object.fromEntries(long) })).toEqual(["labels_too_large"]);
  });
});

const label = fc.record({
  name: fc.string({ unit: "grapheme", minLength: 1 }),
  value: fc.string({ unit: "grapheme" }),
});

test("the block is what the generated encoder writes", () => {
  const manyLabels = fc.uniqueArray(label, { selector: (one) => one.name, maxLength: 20 });
  const encoder = seriesEncoderFor({ ...plain, protocol: "2.0" });
  fc.assert(
    fc.property(manyLabels, (labels) => {
      const form = encoder.encode(new Series([...labels, { name: "__name__", value: "up" }]));
      if (form.kind !== "series") return;
      const sorted: Label[] = [...(form.sentLabels ?? [])];
      const reference = remoteWrite1.TimeSeries.encode({ labels: sorted, samples: [] }).finish();
      expect(bytesOf(form).equals(reference)).toBe(true);
      const names = sorted.map((one) => Buffer.from(one.name));
      expect(names).toEqual([...names].sort(Buffer.compare));
    }),
  );
});

test("bytes of the store that are no UTF-8 are refused, not repaired", () => {
  const series = new Series([{ name: "__name__", value: "up\ufffd" }], false);
  expect(seriesEncoderFor(plain).encode(series)).toMatchObject({ kind: "invalid", reason: "invalid_utf8" });
});

test("a series is encoded once for a shape, and shapes that are equal share it", () => {
  const series = seriesOf({ __name__: "up" });
  const first = seriesEncoderFor({ ...plain, externalLabels: { a: "1", b: "2" }, dropLabels: ["x", "y"] });
  const second = seriesEncoderFor({
    ...plain,
    externalLabels: { b: "2", a: "1" },
    dropLabels: ["y", "x", "y"],
  });
  const other = seriesEncoderFor({ ...plain, externalLabels: { a: "1" } });
  expect(second).toBe(first);
  expect(first.encode(series)).toBe(second.encode(series));
  expect(other.encode(series)).not.toBe(first.encode(series));
});

test("the hash distinguishes series and does not depend on the order in which labels came", () => {
  const hashOf = (labels: Label[]) => {
    const form = seriesEncoderFor(plain).encode(new Series(labels));
    return form.kind === "series" ? [form.hashHigh, form.hashLow] : [];
  };
  const name = { name: "__name__", value: "up" };
  const job = { name: "job", value: "x" };
  expect(hashOf([job, name])).toEqual(hashOf([name, job]));
  expect(hashOf([name, job])).not.toEqual(hashOf([name, { name: "job", value: "y" }]));
});

test("a series is the same in journals, whatever the protocol and the names", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "_", ".", "é", "1"), minLength: 1, maxLength: 3 });
  const labels = fc.dictionary(text, fc.constantFrom("x", "y"), { maxKeys: 4 });
  const encoders = (["1.0", "2.0"] as const).flatMap((protocol) =>
    (["utf8", "legacy"] as const).map((names) => seriesEncoderFor({ ...plain, protocol, names })),
  );
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(text, labels, fc.shuffledSubarray(encoders, { minLength: 4 }), (name, own, order) => {
      const series = seriesOf({ ...own, __name__: name });
      const forms = order.map((encoder) => encoder.encode(series)).filter((form) => form.kind === "series");
      const hashes = new Set(forms.map(({ hashHigh, hashLow }) => `${hashHigh} ${hashLow}`));
      expect(hashes.size).toBe(1);
      const [hash = ""] = hashes;
      const key = JSON.stringify(series.labels);
      expect(seen.get(hash) ?? key).toBe(key);
      seen.set(hash, key);
      for (const { renamed, ...form } of forms) {
        const isLegal = legalLabels(series.labels) === series.labels;
        if (isLegal) expect(renamed).toBeUndefined();
        if (renamed !== undefined)
          expect(renamed).not.toEqual({ hashHigh: form.hashHigh, hashLow: form.hashLow });
      }
    }),
  );
});

describe("a label that becomes the tenant's", () => {
  const ofTenant: LabelShape = { ...plain, tenantLabel: "tenant_id" };
  test.each<[string, LabelShape, Record<string, string>, string[]]>([
    ["the tenant's own", ofTenant, { __name__: "up", tenant_id: "a" }, ["__name__=up", "tenant_id=a"]],
    ["none", ofTenant, { __name__: "up", job: "a" }, ["__name__=up", "job=a"]],
    ["alone", ofTenant, { __name__: "up", "tenant-id": "b" }, ["tenant_label"]],
    ["beside it", ofTenant, { __name__: "up", tenant_id: "a", "tenant-id": "b" }, ["tenant_label"]],
    ["to 2.0", { ...ofTenant, protocol: "2.0" }, { __name__: "up", "tenant.id": "b" }, ["tenant_label"]],
    [
      "where the tenant's is dropped",
      { ...ofTenant, dropLabels: ["tenant_id"] },
      { __name__: "up", tenant_id: "a", "tenant-id": "b" },
      ["tenant_label"],
    ],
    [
      "to legal names",
      { ...ofTenant, names: "legacy" },
      { __name__: "up", "tenant.id": "b" },
      ["tenant_label"],
    ],
    ["of the operator", plain, { __name__: "up", "tenant-id": "b" }, ["__name__=up", "tenant-id=b"]],
  ])("%s", (_, shape, labels, expected) => {
    expect(sentLabels(shape, labels)).toEqual(expected);
  });

  test("whatever the labels, no value reaches the receiver as the tenant's but its own", () => {
    const name = fc.string({ unit: fc.constantFrom("t", "i", "_", "-", ".", "é", "😀", "1"), minLength: 1 });
    const labels = fc.dictionary(name, fc.constantFrom("x", "y"), { maxKeys: 6 });
    const protocols = fc.constantFrom("1.0" as const, "2.0" as const);
    const forms = fc.constantFrom("utf8" as const, "legacy" as const);
    fc.assert(
      fc.property(labels, protocols, forms, fc.boolean(), (own, protocol, names, drops) => {
        const dropLabels = drops ? ["t_i"] : [];
        const shape: LabelShape = { ...plain, protocol, names, dropLabels, tenantLabel: "t_i" };
        const sent = sentLabels(shape, { ...own, __name__: "up" });
        const received = sent.filter((label) => legalizeLabelName(label.split("=")[0] ?? "") === "t_i");
        expect(received).toEqual(received.filter((label) => label === `t_i=${own["t_i"]}`));
      }),
    );
  });
});
