import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { exportPolicyCrd } from "../../scripts/crd/export-policy-crd.ts";
import { printManifest } from "../../scripts/crd/print-manifest.ts";
import { checkExportPolicy } from "../../src/exporter/policy/spec/check-policy.ts";
import type { JsonObject } from "../../src/kube-server/api/object.ts";
import type { Schema } from "../../src/kube-server/api/schema.ts";
import { StatusError } from "../../src/kube-server/api/status.ts";
import { admit, dropUnknownFields, readObject, schemaOf } from "../../src/kube-server/resources/admission.ts";
import { exportPolicyKind } from "../../src/platform/kinds/telemetry/export-policy.ts";
import { ruleProblem, structuralFaults, structureFaults } from "../support/plane/structural-schema.ts";
import { brokenPolicies } from "../support/policy/broken-policies.ts";
import { borderlinePolicy } from "../support/policy/policy-arbitrary.ts";

const crd = exportPolicyCrd("platformapis");
const version = crd.spec.versions[0]!;
const schema = version.schema.openAPIV3Schema;
const file = (path: string): string => readFileSync(new URL(`../../config/${path}`, import.meta.url), "utf8");

type Policy = Record<string, unknown>;

/** The validator's faults, without those that only a MetricsQL parser can detect. */
function validatorFaults(policy: Policy): { readonly ofMetricsql: number; readonly others: string[] } {
  const { faults } = checkExportPolicy(policy, { plane: "test", unknownFields: "error" });
  const errors = faults.filter(({ severity }) => severity === "error");
  const others = errors.filter(
    ({ reason, path }) => reason !== "FieldValueInvalid" || path.at(-1) !== "metricsql",
  );
  return {
    ofMetricsql: errors.length - others.length,
    others: others.map(({ path, message }) => `${path.join(".")} ${message}`),
  };
}

const crdFaults = (policy: Policy): string[] => structuralFaults(structuredClone(policy), schema);

test("the file is what the schema gives; renew it with npm run generate -- crd", () => {
  expect(file("kubernetes/crd/exportpolicies.yaml")).toBe(printManifest(crd));
});

test("another group domain changes the group and nothing else", () => {
  const other = exportPolicyCrd("example.com");
  expect([other.spec.group, other.metadata.name]).toEqual([
    "telemetry.example.com",
    "exportpolicies.telemetry.example.com",
  ]);
  expect(other.spec.versions).toEqual(crd.spec.versions);
});

describe("the schema", () => {
  test("is structural", () => {
    expect(structureFaults(schema)).toEqual([]);
  });

  test("has rules that compile", () => {
    const rules: string[] = [];
    JSON.stringify(schema, (key, value) => {
      if (key === "x-kubernetes-validations") rules.push(...value.map((each: { rule: string }) => each.rule));
      return value;
    });
    expect(rules.length).toBeGreaterThan(3);
    expect(rules.map(ruleProblem)).toEqual(rules.map(() => undefined));
  });

  test("bounds every list and text that a rule goes over, or an API server finds the rule too costly", () => {
    const spec = schema.properties?.["spec"] as Schema;
    const unbounded: string[] = [];
    const visit = (at: Schema, path: string): void => {
      if (at.type === "array" && at.maxItems === undefined) unbounded.push(path);
      if (at.type === "string" && at.maxLength === undefined) unbounded.push(path);
      for (const [name, child] of Object.entries(at.properties ?? {})) visit(child, `${path}.${name}`);
      if (at.items !== undefined) visit(at.items, `${path}[]`);
    };
    visit(spec, "spec");
    expect(unbounded).toEqual([]);
  });

  test("has the columns and the status of the platform's kind", () => {
    const kind = exportPolicyKind("platformapis");
    expect(version.additionalPrinterColumns.map(({ name }) => name)).toEqual(
      kind.columns.map(({ name }) => name),
    );
    expect(version.subresources).toEqual({ status: {} });
    expect(schema.properties?.["status"]).toEqual(kind.schema.properties?.["status"]);
  });
});

describe("good policies are taken, and get the defaults", () => {
  const files = ["01-one-source-one-sink", "02-basic-auth", "03-paused-sink", "04-logins"].map(
    (name) => `policies/${name}.yaml`,
  );
  test.each([...files, "demo/policies/export-policy.yaml"])("%s", (path) => {
    const policies = parseAllDocuments(file(path))
      .map((document) => document.toJS() as Policy)
      .filter(({ kind }) => kind === "ExportPolicy");
    expect(policies.length).toBeGreaterThan(0);
    for (const policy of policies) {
      expect(validatorFaults(policy).others).toEqual([]);
      expect(crdFaults(policy)).toEqual([]);
    }
  });

  test("the defaults are those of the contract", () => {
    const policy = remoteWrite({ endpoint: "https://h.example/" });
    expect(structuralFaults(policy, schema)).toEqual([]);
    expect(policy.spec.sinks[0]?.target.prometheusRemoteWrite).toEqual({
      endpoint: "https://h.example/",
      batch: { timeout: "5s", maxSize: 500, maxBytes: 3 * 2 ** 20 },
      retry: { maxAttempts: 3, backoffDuration: "5s" },
    });
  });
});

describe("broken policies are refused by both or by neither", () => {
  // The rest of the table is not for the CRD to reject: no policy, no YAML, or metadata, which the API server
  // itself checks.
  const policies = brokenPolicies.flatMap(([name, , text]): [string, Policy][] => {
    const [document, ...more] = parseAllDocuments(text);
    if (document === undefined || more.length > 0 || document.errors.length > 0) return [];
    const policy = document.toJS() as Policy | null;
    const ours =
      policy?.["apiVersion"] === "telemetry.platformapis/v1alpha1" &&
      policy["kind"] === "ExportPolicy" &&
      (policy["metadata"] as { name?: string }).name === "web";
    return ours ? [[name, policy]] : [];
  });

  test("there are many", () => {
    expect(policies.length).toBeGreaterThan(30);
  });

  test.each(policies)("%s", (_name, policy) => {
    const { others } = validatorFaults(policy);
    const faults = crdFaults(policy);
    expect({ refused: faults.length > 0, faults }).toEqual({ refused: others.length > 0, faults });
  });
});

describe("the platform", () => {
  const kind = exportPolicyKind("platformapis");

  /** The platform's faults, as on creation with strict field validation. */
  function platformFaults(policy: Policy): string[] {
    try {
      const object = readObject(structuredClone(policy) as JsonObject, kind);
      dropUnknownFields(object, kind, "Strict");
      admit(object, undefined, kind);
      return [];
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return [error.message];
    }
  }

  test("has the schema of the CRD, key by key", () => {
    const { metadata: _, ...fields } = schema.properties ?? {};
    const { metadata: __, ...platformFields } = schemaOf(kind).properties ?? {};
    expect(platformFields).toEqual(fields);
  });

  test("accepts what the CRD accepts, and nothing else", () => {
    let accepted = 0;
    fc.assert(
      fc.property(borderlinePolicy, (policy) => {
        const ours = platformFaults(policy);
        // The CRD does not check MetricsQL.
        if (ours.length === 1 && validatorFaults(policy).ofMetricsql > 0) return;
        const faults = crdFaults(policy);
        expect({ accepted: ours.length === 0, ours, faults }).toEqual({
          ...{ accepted: faults.length === 0, ours, faults },
        });
        if (ours.length === 0) accepted++;
      }),
      { numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

/** A policy with one sink with these fields. */
function remoteWrite(fields: object, name = "main") {
  const target: { prometheusRemoteWrite: Record<string, unknown> } = { prometheusRemoteWrite: { ...fields } };
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "web" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: "up" } }],
      sinks: [{ name, sources: ["all"], target }],
    },
  };
}

describe("both agree on any", () => {
  const agree = (policy: Policy): void => {
    expect(crdFaults(policy).length > 0).toBe(validatorFaults(policy).others.length > 0);
  };
  const endpoint = "https://h.example/";

  test("duration", () => {
    const number = fc.oneof(
      fc.nat(200).map(String),
      fc.constantFrom("1.5", ".5", "2.", "0", "-1", "1e3", "٣"),
    );
    const unit = fc.constantFrom("ms", "s", "m", "h", "", "d", " s", "S");
    const part = fc.tuple(number, unit).map((both) => both.join(""));
    const text = fc.tuple(fc.constantFrom("", "+", "-"), fc.array(part, { maxLength: 3 }));
    fc.assert(
      fc.property(text, fc.constantFrom("batch", "retry"), ([sign, parts], section) => {
        const field = section === "batch" ? "timeout" : "backoffDuration";
        agree(remoteWrite({ endpoint, [section]: { [field]: sign + parts.join("") } }));
      }),
      { numRuns: 300 },
    );
  });

  test("endpoint", () => {
    const part = fc.constantFrom(
      ...[
        "http://",
        "HTTPS://",
        "ftp://",
        "http:/",
        "h.example",
        "[::1]",
        "127.0.0.1",
        ":80",
        ":99999",
        "/",
        "//",
      ],
      ...[
        "?a=b",
        "#top",
        "@",
        "user:password@",
        " ",
        "\\",
        "\u00a0",
        "\n",
        "%20",
        "%zz",
        "ü.example",
        "a_b",
        ":",
      ],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) =>
        agree(remoteWrite({ endpoint: parts.join("") })),
      ),
      { numRuns: 500 },
    );
  });

  test("name", () => {
    const character = fc.constantFrom(..."aZ09-_. é");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 5 }), (name) =>
        agree(remoteWrite({ endpoint }, name)),
      ),
    );
  });

  test("value of a wrong type in any field", () => {
    const odd = fc.constantFrom<unknown>("text", 5, 1.5, -1, true, [], ["a"], {}, { a: 1 });
    const sections = fc.constantFrom(
      ["batch", "timeout"],
      ["batch", "maxSize"],
      ["retry", "maxAttempts"],
      ["authentication", "basicAuth"],
    );
    fc.assert(
      fc.property(odd, sections, (value, [section, field]) => {
        agree(remoteWrite({ endpoint, [String(section)]: { [String(field)]: value } }));
        agree(remoteWrite({ endpoint, [String(section)]: value }));
      }),
    );
  });
});
