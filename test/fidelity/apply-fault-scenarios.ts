import { applied, apply, maps, policies, sinksOf } from "./apply-exchange.ts";
import { configMap, policy, type Scenario } from "./scenario.ts";

/** Configurations that server-side apply rejects. */
export const applyFaultScenarios: readonly Scenario[] = [
  {
    name: "a configuration whose items cannot be told apart, or with unknown fields, is an error",
    exchanges: [
      applied(
        "$name",
        {
          sinks: sinksOf("a", "a"),
        },
        "one",
        { code: 400, message: '.spec.sinks: duplicate entries for key [name="a"]' },
      ),
      apply(
        policies("$name", "one"),
        { ...policy("$name"), spec: { sinks: [{ sources: [] }] } },
        {
          code: 400,
          message:
            ".spec.sinks: element 0: associative list with keys has an element that omits all key fields",
        },
      ),
      apply(maps("$name", "one", "&fieldValidation=Ignore"), configMap("$name", { odd: 1 }), {
        code: 400,
        message: ".odd: field not declared in schema",
      }),
      apply(maps("$name", "one", "&fieldValidation=Strict"), configMap("$name", { odd: 1 }), {
        code: 400,
        message: 'strict decoding error: unknown field "odd"',
      }),
    ],
  },
  {
    name: "an apply names its object",
    exchanges: [
      apply(
        maps("$name", "one"),
        { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
        { code: 400, message: "name must be provided" },
      ),
      apply(maps("$name", "one"), configMap("other"), {
        code: 400,
        message: "does not match the name on the URL",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { namespace: "other" }), {
        code: 400,
        message: "namespace",
      }),
      apply(
        maps("$name", "one"),
        { kind: "ConfigMap", metadata: { name: "$name" } },
        { code: 400, message: "apiVersion" },
      ),
      apply(
        maps("$name", "one"),
        { apiVersion: "v1", metadata: { name: "$name" } },
        { code: 400, message: "Kind" },
      ),
      apply(maps("$name", "one"), configMap("$name", {}, { managedFields: [] }), {
        code: 400,
        message: "metadata.managedFields must be nil",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { uid: "x" }), {
        code: 409,
        message: "uid mismatch",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { resourceVersion: "1" }), { code: 201 }),
      apply(maps("$name", "one"), configMap("$name", {}, { uid: "x" }), {
        code: 422,
        message: "metadata.uid: Invalid value",
      }),
      apply(maps("$name", "one"), configMap("$name", {}, { resourceVersion: "1" }), { code: 409 }),
    ],
  },
];
