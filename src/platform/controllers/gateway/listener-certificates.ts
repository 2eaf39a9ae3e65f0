import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { timeText } from "../../../kube-server/controllers/conditions.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { listenerFault } from "../../kinds/gateway/gateway.ts";
import { certificateRefOf, isSecret, isSecretPermitted } from "../../kinds/gateway/listener-tls.ts";
import type { Granted } from "../../kinds/gateway/reference-grant.ts";
import type { KeyPair, KeyPairFault } from "./key-pair.ts";

/** What a listener's certificateRefs lead to. */
export type ListenerCertificate =
  | { readonly kind: "served"; readonly keyPair: KeyPair; readonly secret: string }
  /** Reason and message of the condition ResolvedRefs: the listener is not served. */
  | {
      readonly kind: "refused";
      readonly reason: "InvalidCertificateRef" | "RefNotPermitted";
      readonly message: string;
    };

/** By the name of the listener; those with the gateway's certificate have none. */
export type ListenerCertificates = ReadonlyMap<string, ListenerCertificate>;

/** Certificates of one Gateway: its program has all of them. */
const maxOfGateway = 16;

/**
 * @param keyPairs of the Secrets that there are, by key
 * @param granted for Secrets of other namespaces
 */
export function certificatesOf(
  gateway: KubeObject,
  keyPairs: ReadonlyMap<string, KeyPair | KeyPairFault>,
  granted: Granted,
): ListenerCertificates {
  const found = new Map<string, ListenerCertificate>();
  const served = new Set<string>();
  for (const listener of objectsIn(fieldAt(gateway, ["spec", "listeners"]))) {
    const ref = listenerFault(listener) === undefined ? certificateRefOf(listener) : undefined;
    if (ref === undefined) continue;
    let certificate = certificateOf(ref, gateway.metadata.namespace ?? "", keyPairs, granted);
    if (certificate.kind === "served") served.add(certificate.keyPair.pem);
    if (served.size > maxOfGateway && certificate.kind === "served") {
      served.delete(certificate.keyPair.pem);
      certificate = invalid(`A Gateway has at most ${maxOfGateway} certificates: use another Gateway`);
    }
    found.set(String(listener["name"]), certificate);
  }
  return found;
}

function certificateOf(
  ref: JsonObject,
  namespace: string,
  keyPairs: ReadonlyMap<string, KeyPair | KeyPairFault>,
  granted: Granted,
): ListenerCertificate {
  if (!isSecret(ref)) {
    const kind = [ref["kind"], ref["group"]].filter(Boolean).join(".");
    return invalid(`Certificates of the kind ${kind} are not supported; use a Secret`);
  }
  const named = { namespace: String(ref["namespace"] ?? namespace), name: String(ref["name"]) };
  const { name } = named;
  if (!isSecretPermitted(namespace, named, granted)) {
    const message = `no ReferenceGrant of the namespace ${named.namespace} permits the Secret "${name}"`;
    return { kind: "refused", reason: "RefNotPermitted", message };
  }
  const keyPair = keyPairs.get(objectKey(secretKind, named.namespace, name));
  if (keyPair === undefined) return invalid(`Secret "${name}" not found`);
  return "fault" in keyPair
    ? invalid(`Secret "${name}" ${keyPair.fault}`)
    : { kind: "served", keyPair, secret: name };
}

function invalid(message: string): ListenerCertificate {
  return { kind: "refused", reason: "InvalidCertificateRef", message };
}

/**
 * Why clients refuse a certificate that is served all the same: it expired, is not valid yet, or is for other
 * names. Undefined if they do not.
 */
export function certificateRemark(
  certificate: ListenerCertificate,
  hostname: string | undefined,
  nowMs: number,
): string | undefined {
  if (certificate.kind === "refused") return undefined;
  const { keyPair, secret } = certificate;
  const { validFromMs, validToMs } = keyPair;
  const remark = (why: string) => `Clients refuse the certificate in Secret "${secret}": ${why}`;
  if (nowMs > validToMs) return remark(`it expired at ${timeText(validToMs)}`);
  if (nowMs < validFromMs) return remark(`it is not valid before ${timeText(validFromMs)}`);
  if (hostname === undefined || keyPair.isFor(hostname)) return undefined;
  return remark(`it is not for ${hostname}`);
}

const longestMs = 24 * 3_600_000;

/** When a certificate begins or ends to be valid next, at most a day from now; undefined: none will (ms). */
export function certificatesAgainMs(certificates: ListenerCertificates, nowMs: number): number | undefined {
  const due = [...certificates.values()].flatMap((each) => {
    if (each.kind === "refused") return [];
    const { validFromMs, validToMs } = each.keyPair;
    return [validFromMs, validToMs].filter((ms) => ms >= nowMs).map((ms) => ms - nowMs + 1_000);
  });
  return due.length === 0 ? undefined : Math.min(longestMs, ...due);
}
