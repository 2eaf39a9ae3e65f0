import { configMapKind } from "./config-map.ts";
import { eventKind } from "./event.ts";
import { exportPolicyKind } from "./export-policy.ts";
import type { KindDefinition } from "./kind.ts";
import { namespaceKind } from "./namespace.ts";
import { projectKind } from "./project.ts";
import { secretKind } from "./secret.ts";

/** All kinds of the server. A new kind is one file and one line here. */
export function servedKinds(groupDomain: string): KindDefinition[] {
  return [
    namespaceKind,
    secretKind,
    configMapKind,
    eventKind,
    projectKind(groupDomain),
    exportPolicyKind(groupDomain),
  ];
}
