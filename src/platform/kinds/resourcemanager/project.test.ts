import { expect, test } from "vitest";
import { admitted, faultsOf, objectOf } from "../../../../test/support/plane/admission.ts";
import { generatedName, maxNameLength } from "../../../kube-server/api/metadata.ts";
import { projectFinalizer, projectKind } from "./project.ts";

const kind = projectKind("example");
const project = (name: string) => objectOf(kind, name, { spec: {} });

test("a project's name has at most 55 characters, also if it is generated", () => {
  expect(faultsOf(project("a".repeat(55)), kind)).toEqual([]);
  expect(faultsOf(project("a".repeat(56)), kind)).toEqual([
    `metadata.name: Invalid value: "${"a".repeat(56)}": must be no more than 55 characters`,
  ]);
  expect(generatedName("a".repeat(60), maxNameLength(kind), () => 0)).toHaveLength(55);
});

test("a project has its finalizer from the creation on", () => {
  expect(admitted(project("web"), kind).metadata.finalizers).toEqual([projectFinalizer("example")]);
});
