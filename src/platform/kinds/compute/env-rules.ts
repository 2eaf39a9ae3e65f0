import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";
import { checkName } from "../references.ts";

const sources = ["configMapKeyRef", "fieldRef", "secretKeyRef"] as const;
const namePattern = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const nameHelp =
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";

/** Checks environment variables as Kubernetes checks those of a Pod. Names are unique by the schema. */
export function checkEnv(env: Json | undefined, path: string, faults: FaultList): void {
  for (const [index, { name = "", value = "", valueFrom }] of objectsIn(env).entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    if (name === "") faults.add(requiredValue(`${place}.name`));
    else if (!namePattern.test(String(name))) faults.add(invalidValue(`${place}.name`, name, nameHelp));
    if (typeof value === "string" && value.includes("\0")) {
      faults.add(invalidValue(`${place}.value`, "", "must not contain NUL"));
    }
    if (valueFrom !== undefined) checkSource(value, valueFrom, `${place}.valueFrom`, faults);
  }
}

function checkSource(value: Json, valueFrom: Json, path: string, faults: FaultList): void {
  const given = sources.filter((source) => fieldAt(valueFrom, [source]) !== undefined);
  if (given.length === 0) {
    faults.add(
      invalidValue(path, "", "must specify one of: `configMapKeyRef`, `fieldRef` or `secretKeyRef`"),
    );
  } else if (value !== "") {
    faults.add(invalidValue(path, "", "may not be specified when `value` is not empty"));
  } else if (given.length > 1) {
    faults.add(invalidValue(path, "", "may not have more than one field specified at a time"));
  }
  for (const source of given) {
    const place = `${path}.${source}`;
    if (source === "fieldRef") {
      if (fieldAt(valueFrom, [source, "fieldPath"]) === "") faults.add(requiredValue(`${place}.fieldPath`));
      continue;
    }
    checkName(fieldAt(valueFrom, [source, "name"]), `${place}.name`, "subdomain", faults);
    if (fieldAt(valueFrom, [source, "key"]) === "") faults.add(requiredValue(`${place}.key`));
  }
}
