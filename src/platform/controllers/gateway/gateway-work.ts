import { sameJson } from "../../../kube-server/api/object.ts";
import { planeKey } from "../../../kube-server/api/plane.ts";
import type { Watch } from "../../../kube-server/controllers/controller.ts";
import { objectWork, referrersWork } from "../../../kube-server/controllers/work-items.ts";
import { namespaceKind } from "../../../kube-server/kinds/namespace.ts";
import type { ObjectStore } from "../../../kube-server/store/object-store.ts";
import { selectingGateway } from "../../kinds/gateway/allowed-namespaces.ts";
import { gatewayNames } from "../../kinds/gateway/gateway.ts";
import { grantsIn, referenceGrantKind } from "../../kinds/gateway/reference-grant.ts";
import type { RouteProgram } from "../../routing/route-program.ts";

/** What names something of the namespace of a ReferenceGrant is looked at when one changes. */
export const watchedGrants: Watch = {
  kind: referenceGrantKind,
  affects: (object, old) => [referrersWork(grantsIn((object ?? old)?.metadata.namespace ?? ""))],
};

/** Gateways that choose namespaces by labels are looked at when these change. */
export const watchedNamespaces: Watch = {
  kind: namespaceKind,
  affects: (object, old) =>
    sameJson(object?.metadata.labels ?? {}, old?.metadata.labels ?? {})
      ? []
      : [referrersWork(selectingGateway)],
};

/** As much of a program as names its gateway. */
export type GatewayOfProgram = Pick<RouteProgram, "plane" | "namespace" | "name">;

/** Work item that looks at the gateway of a program again. */
export function gatewayWork({ namespace, name }: GatewayOfProgram): string {
  return objectWork(gatewayNames, namespace, name);
}

/** Requests work on the gateways of some programs, one step for each plane. */
export async function wakeGateways(
  store: Pick<ObjectStore, "addWork">,
  programs: readonly GatewayOfProgram[],
  nowMs: number,
): Promise<void> {
  const planes = new Map<string, GatewayOfProgram[]>();
  for (const program of programs) {
    const key = planeKey(program.plane);
    const known = planes.get(key);
    if (known === undefined) planes.set(key, [program]);
    else known.push(program);
  }
  for (const all of planes.values()) {
    const [first] = all;
    if (first !== undefined) await store.addWork(first.plane, all.map(gatewayWork), nowMs);
  }
}
