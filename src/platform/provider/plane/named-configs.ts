import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { objectsAt, textAt } from "./plane-object.ts";

export type ConfigKind = "ConfigMap" | "Secret";

/** A ConfigMap or Secret that an Instance names, in its own namespace. */
export interface ConfigName {
  readonly kind: ConfigKind;
  readonly name: string;
}

/** The ConfigMaps and Secrets of an Instance's environment, volumes and image pull secrets, each once. */
export function namedConfigs(instance: PlaneObject): ConfigName[] {
  const sandbox = valueAt(instance, ["spec", "runtime", "sandbox"]);
  const found = new Map<string, ConfigName>();
  const add = (kind: ConfigKind, name: string | undefined): void => {
    if (name !== undefined) found.set(`${kind}/${name}`, { kind, name });
  };
  for (const container of objectsAt(sandbox, "containers")) {
    for (const { valueFrom } of objectsAt(container, "env")) {
      add("ConfigMap", textAt(valueFrom, "configMapKeyRef", "name"));
      add("Secret", textAt(valueFrom, "secretKeyRef", "name"));
    }
  }
  for (const volume of objectsAt(instance, "spec", "volumes")) {
    add("ConfigMap", textAt(volume, "configMap", "name"));
    add("Secret", textAt(volume, "secret", "secretName"));
  }
  for (const secret of objectsAt(sandbox, "imagePullSecrets")) add("Secret", textAt(secret, "name"));
  return [...found.values()];
}
