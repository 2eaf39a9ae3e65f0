import { isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { objectsAt, textAt } from "../plane/plane-object.ts";
import type { RegistryCredential } from "../runtime/runtime.ts";
import type { ConfigReader } from "./environment.ts";

const dataKey = ".dockerconfigjson";

/**
 * The credentials in a sandbox's image pull secrets (type `kubernetes.io/dockerconfigjson`).
 *
 * @param missing collects Secrets that are not there or hold no credentials
 */
export function pullSecrets(
  instance: PlaneObject,
  read: ConfigReader,
  missing: Set<string>,
): RegistryCredential[] {
  return objectsAt(instance, "spec", "runtime", "sandbox", "imagePullSecrets").flatMap((reference) => {
    const name = textAt(reference, "name") ?? "";
    const data = read("Secret", name);
    const text = data?.get(dataKey);
    const credentials = text && credentialsIn(Buffer.from(text).toString());
    if (credentials !== undefined) return credentials;
    missing.add(data === undefined ? `Secret "${name}"` : `key "${dataKey}" of Secret "${name}"`);
    return [];
  });
}

/** `{"auths": {"registry": {"username", "password"} or {"auth": base64 of username:password}}}` */
function credentialsIn(text: string): RegistryCredential[] | undefined {
  let auths: unknown;
  try {
    auths = valueAt(JSON.parse(text), ["auths"]);
  } catch {
    return undefined;
  }
  if (!isObject(auths)) return undefined;
  return Object.entries(auths).flatMap(([server, entry]) => {
    const auth = Buffer.from(textAt(entry, "auth") ?? "", "base64").toString();
    const colon = auth.indexOf(":");
    const username = textAt(entry, "username") ?? auth.slice(0, Math.max(0, colon));
    const password = textAt(entry, "password") ?? auth.slice(colon + 1);
    const registry = server.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
    return registry === "" || username === "" ? [] : { registry, username, password };
  });
}
