import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, isSet, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  tooManyItems,
} from "../../../kube-server/api/validate.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import { keysOf, type NamespacedName, referent } from "../references.ts";
import { type Granted, grantsFor } from "./reference-grant.ts";
import { opaqueObject } from "./route-schema.ts";

/** The only option of a listener's TLS: where its certificate comes from; `auto`: from the platform. */
export function certificateIssuerOption(groupDomain: string): string {
  return `gateway.networking.${groupDomain}/certificate-issuer`;
}

/** `tls` of a listener. */
export const listenerTls: Schema = objectField("Settings of TLS; for HTTPS only.", [], {
  mode: {
    type: "string",
    description: "TLS ends at the gateway.",
    enum: ["Terminate", "Passthrough"],
    default: "Terminate",
  },
  certificateRefs: atomicList(
    listItem(["name"], {
      group: { ...textField("Group of the object."), default: "", maxLength: 253 },
      kind: { ...textField("Kind of the object."), default: "Secret", minLength: 1, maxLength: 63 },
      name: { ...textField("Name of the Secret."), minLength: 1, maxLength: 253 },
      namespace: {
        ...textField("Namespace of the Secret; another one than the gateway's needs a ReferenceGrant there."),
        minLength: 1,
        maxLength: 63,
      },
    }),
    "The Secret of the type kubernetes.io/tls with the certificate of the listener's hostnames.",
    { maxItems: 64 },
  ),
  frontendValidation: opaqueObject("Not supported."),
  options: {
    type: "object",
    description: "Where the certificate comes from, without certificateRefs.",
    maxProperties: 16,
    additionalProperties: { type: "string", maxLength: 4096 },
  },
});

/** The reference to a listener's certificate; undefined: it has the gateway's. */
export function certificateRefOf({ protocol, tls }: JsonObject): JsonObject | undefined {
  return protocol === "HTTPS" ? objectsIn(fieldAt(tls, ["certificateRefs"]))[0] : undefined;
}

/** The Secrets that a Gateway's listeners name; see {@link isSecretPermitted} for those of other namespaces. */
export function certificateSecrets(gateway: KubeObject): NamespacedName[] {
  return objectsIn(fieldAt(gateway, ["spec", "listeners"])).flatMap((listener) => {
    const ref = certificateRefOf(listener);
    return ref !== undefined && isSecret(ref) ? (referent(ref, gateway.metadata.namespace) ?? []) : [];
  });
}

/** What a Gateway needs for its certificates: keys of the Secrets, and the grants of their namespaces. */
export function certificateReferences(gateway: KubeObject): string[] {
  const named = certificateSecrets(gateway);
  return [...secretKeys(named), ...grantsFor(gateway, named)];
}

/** Keys of the Secrets that stay while a Gateway is there: of other namespaces, none do. */
export function secretsInUse(gateway: KubeObject): string[] {
  const { namespace } = gateway.metadata;
  return secretKeys(certificateSecrets(gateway).filter((each) => each.namespace === namespace));
}

function secretKeys(named: readonly NamespacedName[]): string[] {
  return [...new Set(keysOf(named.map((each) => [secretKind, each] as const)))];
}

/** Whether Gateways of a namespace may have the certificate of a Secret. */
export function isSecretPermitted(namespace: string, secret: NamespacedName, granted: Granted): boolean {
  const from = { group: "gateway.networking.k8s.io", kind: "Gateway", namespace };
  return granted.permits(from, { group: secretKind.group, kind: secretKind.kind, ...secret });
}

export function isSecret({ group, kind }: JsonObject): boolean {
  return group === "" && kind === "Secret";
}

/** Other kinds, other namespaces and Secrets that do not exist are reported in the listener's status. */
export function checkTls(listener: JsonObject, path: string, groupDomain: string, faults: FaultList): void {
  const mode = fieldAt(listener, ["tls", "mode"]) ?? "Terminate";
  if (mode !== "Terminate") faults.add(unsupportedValue(`${path}.mode`, mode, ["Terminate"]));
  const option = certificateIssuerOption(groupDomain);
  const options = fieldAt(listener, ["tls", "options"]);
  const refs = objectsIn(fieldAt(listener, ["tls", "certificateRefs"]));
  if (refs.length > 1) faults.add(tooManyItems(`${path}.certificateRefs`, refs.length, 1));
  if (refs.length > 0 && isSet(options)) {
    faults.add(forbiddenValue(`${path}.options`, "the certificate comes from certificateRefs"));
    return;
  }
  if (refs.length === 0 && !isSet(options)) {
    faults.add(requiredValue(`${path}.options`, `must have ${option}, or certificateRefs a Secret`));
  }
  for (const [name, value] of Object.entries((options ?? {}) as JsonObject)) {
    if (name !== option) faults.add(unsupportedValue(`${path}.options`, name, [option]));
    else if (value !== "auto") {
      faults.add(
        invalidValue(`${path}.options[${option}]`, value, "must be auto: the platform's certificate"),
      );
    }
  }
}
