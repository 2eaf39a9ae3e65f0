import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import {
  integerField,
  intOrStringField,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";
import { checkPortName, checkPortNumber } from "./port-rules.ts";

const count = (description: string, initial: number): Schema => ({
  ...integerField("int32", description),
  default: initial,
});

const port = intOrStringField("Number of a port of the container, or its name.");

/** More than any check needs; they bound the work of validation and of each probe. */
const maxItems = 64;

/** As Kubernetes' Probe, without `host` and gRPC: a probe asks its own instance. */
const probe = (description: string): Schema =>
  objectField(description, [], {
    httpGet: objectField("Succeeds with a status from 200 to 399. Redirects are not followed.", ["port"], {
      path: { ...textField("Path of the request."), default: "/" },
      port,
      scheme: {
        type: "string",
        description: "Scheme; certificates are not verified.",
        enum: ["HTTP", "HTTPS"],
        default: "HTTP",
      },
      httpHeaders: {
        type: "array",
        maxItems,
        description: "Further headers of the request.",
        items: listItem(["name", "value"], {
          name: textField("Name of the header."),
          value: textField("Value of the header."),
        }),
      },
    }),
    tcpSocket: objectField("Succeeds when a connection is made.", ["port"], { port }),
    exec: objectField("Succeeds when the command exits with status 0.", [], {
      command: {
        type: "array",
        maxItems,
        description: "Command with its arguments, without a shell.",
        items: { type: "string", maxLength: 4_096 },
      },
    }),
    initialDelaySeconds: integerField("int32", "Pause between the container's start and the first probe."),
    timeoutSeconds: count("Longest time of a probe.", 1),
    periodSeconds: count("Pause between probes.", 10),
    successThreshold: count("Successes in a row after which a failed probe counts as successful.", 1),
    failureThreshold: count("Failures in a row after which a probe counts as failed.", 3),
  });

const numbers = [
  ...["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"],
];

/** The probes of a container. */
export const probeFields: Readonly<Record<string, Schema>> = {
  startupProbe: probe("Until it succeeds, no other probe runs; if it fails, the container is restarted."),
  livenessProbe: probe("If it fails, the container is restarted."),
  readinessProbe: probe("The instance is available only while it succeeds."),
};

/** Checks the probes of a container, as Kubernetes checks those of a Pod. */
export function checkProbes(container: Json, path: string, faults: FaultList): void {
  for (const name of Object.keys(probeFields)) {
    const given = fieldAt(container, [name]);
    if (given !== undefined) checkProbe(given, `${path}.${name}`, name === "readinessProbe", faults);
  }
}

function checkProbe(given: Json, path: string, mayRepeat: boolean, faults: FaultList): void {
  let handlers = 0;
  for (const handler of ["exec", "httpGet", "tcpSocket"]) {
    const value = fieldAt(given, [handler]);
    if (value === undefined) continue;
    const place = `${path}.${handler}`;
    handlers += 1;
    if (handlers > 1) faults.add(forbiddenValue(place, "may not specify more than 1 handler type"));
    else checkHandler(handler, value, place, faults);
  }
  if (handlers === 0) faults.add(requiredValue(path, "must specify a handler type"));
  for (const field of numbers) {
    const value = fieldAt(given, [field]);
    if (typeof value !== "number" || value >= 0) continue;
    faults.add(invalidValue(`${path}.${field}`, value, "must be greater than or equal to 0"));
  }
  const successes = fieldAt(given, ["successThreshold"]);
  if (!mayRepeat && successes !== undefined && successes !== 1) {
    faults.add(invalidValue(`${path}.successThreshold`, successes, "must be 1"));
  }
}

function checkHandler(handler: string, value: Json, path: string, faults: FaultList): void {
  if (handler === "exec") {
    const command = fieldAt(value, ["command"]);
    if (!Array.isArray(command) || command.length === 0) faults.add(requiredValue(`${path}.command`));
    return;
  }
  const given = fieldAt(value, ["port"]);
  if (typeof given === "string") checkPortName(given, `${path}.port`, faults);
  else checkPortNumber(given, `${path}.port`, faults);
  if (handler !== "httpGet") return;
  if (fieldAt(value, ["path"]) === "") faults.add(requiredValue(`${path}.path`));
  for (const [index, { name, value: text }] of objectsIn(fieldAt(value, ["httpHeaders"])).entries()) {
    const place = `${path}.httpHeaders[${index}]`;
    const isHeader = /^[-A-Za-z0-9]+$/.test(String(name));
    if (!isHeader) faults.add(invalidValue(`${place}.name`, name ?? null, headerHelp));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(String(text))) {
      faults.add(invalidValue(`${place}.value`, "", "must not contain control characters"));
    }
  }
}

const headerHelp =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
