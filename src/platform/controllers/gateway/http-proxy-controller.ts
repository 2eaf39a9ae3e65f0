import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import { childObject, type KubeObject, sameJson } from "../../../kube-server/api/object.ts";
import { conditionsOf, isTrue, timeText, withStatus } from "../../../kube-server/controllers/conditions.ts";
import {
  controllerReference,
  createControlObjects,
  isControlledBy,
} from "../../../kube-server/controllers/control-objects.ts";
import {
  again,
  type Controller,
  done,
  type Reconciled,
  type Watch,
} from "../../../kube-server/controllers/controller.ts";
import { isOwnCreation, isOwnReport } from "../../../kube-server/controllers/own-writes.ts";
import { quotaRefusal, quotaRetryMs } from "../../../kube-server/controllers/quota.ts";
import { controllerWork, objectWork } from "../../../kube-server/controllers/work-items.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { httpProxyKind } from "../../kinds/networking/http-proxy.ts";
import type { PlatformControllerOptions } from "../options.ts";
import type { GatewayHostnames } from "./gateway-hostnames.ts";
import { type DerivedGateways, readGateway } from "./gateway-reader.ts";
import {
  type ChildrenState,
  hostnamesCondition,
  hostnamesVerified,
  proxyAddresses,
  proxyConditions,
} from "./http-proxy-status.ts";
import { type PlannedChild, plannedChildren } from "./proxy-children.ts";

const component = "telemetryd-httpproxy-controller";
/** For what no change announces: another write came first, or a gateway loads the program right now. */
const soonMs = 250;
/** A child that is being deleted: its deletion is a change, which is seen at once. */
const goingMs = 5_000;

/** Keeps a gateway, a route and the slices for each proxy, and reports the gateway's state. */
export function createHttpProxyController(
  options: PlatformControllerOptions,
  derived: DerivedGateways,
  hostnames: GatewayHostnames,
): Controller {
  const { groupDomain, clock, claims, programs } = options;
  const kind = httpProxyKind(groupDomain);
  const gatewayOf = gatewayKind(groupDomain);
  const objects = createControlObjects(options, component);

  const childTarget = ({ plane, namespace }: Target, child: Pick<PlannedChild, "kind" | "name">): Target => ({
    plane,
    namespace,
    kind: child.kind,
    name: child.name,
  });

  /** @returns whether the child is now as planned @throws QuotaExceededError */
  const keep = async (
    target: Target,
    proxy: KubeObject,
    planned: PlannedChild,
    present: KubeObject | undefined,
  ): Promise<boolean> => {
    const child = childTarget(target, planned);
    if (present !== undefined) {
      // Created again once it is gone.
      if (present.metadata.deletionTimestamp !== undefined) return false;
      if (isAsPlanned(present, planned)) return true;
      if (!isReplaced(present, planned)) {
        const { uid } = present.metadata;
        const put = (old: KubeObject): KubeObject =>
          old.metadata.uid !== uid || isAsPlanned(old, planned) ? old : { ...old, ...planned.fields };
        const written = await objects.change(child, put);
        return written !== undefined && isAsPlanned(written, planned);
      }
      await objects.delete(child, present);
    }
    const ownerReferences = [controllerReference(kind, proxy)];
    return (await objects.create(child, { ownerReferences, fields: planned.fields })) !== undefined;
  };

  /** Creates children, puts them back, and deletes slices that are no longer wanted. */
  const keepChildren = async (target: Target, proxy: KubeObject): Promise<ChildrenState> => {
    const { uid = "" } = proxy.metadata;
    const planned = plannedChildren(proxy, groupDomain);
    const present = await Promise.all(
      planned.map((child) => objects.get(target.plane, child.kind, target.namespace, child.name)),
    );
    // Nothing is touched in a conflict: a route would send the requests of another's gateway.
    for (const [index, child] of planned.entries()) {
      const found = present[index];
      if (found === undefined || isControlledBy(found, uid)) continue;
      return { state: "conflict", kind: child.kind.kind, name: child.name };
    }
    let isComplete = true;
    let overQuota: string | undefined;
    for (const [index, child] of creationOrder(planned)) {
      let isKept = false;
      overQuota = await quotaRefusal(async () => {
        isKept = await keep(target, proxy, child, present[index]);
      });
      if (isKept) continue;
      isComplete = false;
      if (overQuota !== undefined) break;
      // A route without a gateway of the proxy's own must not find another's.
      if (child.kind.kind === gatewayOf.kind && present[index] === undefined) break;
    }
    const gateway = await objects.get(target.plane, gatewayOf, target.namespace, target.name);
    if (!isComplete || gateway === undefined) {
      const isGoing = present.some((child) => child?.metadata.deletionTimestamp !== undefined);
      return { state: "incomplete", gateway, isGoing, quotaRefusal: overQuota };
    }
    const names = new Set(planned.map(({ name }) => name));
    for (const slice of await objects.dependents(target.plane, uid, endpointSliceKind)) {
      const { name = "" } = slice.metadata;
      if (names.has(name) || !isControlledBy(slice, uid)) continue;
      await objects.delete(childTarget(target, { kind: endpointSliceKind, name }), slice);
    }
    const gatewayTarget = childTarget(target, { kind: gatewayOf, name: target.name });
    const reading = { objects, claims, groupDomain, derived, hostnames };
    const { program, routes } = await readGateway(reading, gatewayTarget, gateway);
    const own = routes.find(({ route }) => route.metadata.name === target.name);
    const refusal = own?.attachments.find(({ accepted }) => accepted.status === "False")?.accepted;
    const version = await programs.versionOf(program);
    const state = version === undefined ? undefined : await programs.state(program.gateway, version);
    return { state: "complete", gateway, refusal, program: state };
  };

  const report = async (target: Target, proxy: KubeObject, children: ChildrenState): Promise<void> => {
    const { generation } = proxy.metadata;
    await objects.changeStatus(
      target,
      (old) => {
        // The children are not of this generation; the change is work of its own.
        if (old.metadata.generation !== generation) return old;
        const { addresses, hostnames, hostname, ...kept } = childObject(old, "status") ?? {};
        const fields = proxyAddresses(children);
        const names = hostnamesCondition(old, children);
        const conditions = [...proxyConditions(children), ...(names === undefined ? [] : [names])];
        const before = conditionsOf(old).filter(
          ({ type }) => type !== hostnamesVerified || names !== undefined,
        );
        const cleared = { ...old, status: { ...kept, conditions: before } };
        const next = withStatus(cleared, conditions, fields, nowText());
        return sameJson(next["status"], old["status"]) ? old : next;
      },
      proxy,
    );
  };

  const nowText = (): string => timeText(clock.nowMs());

  const watchOf = (child: KindDefinition, proxyOf: (name: string) => string | undefined): Watch => ({
    kind: child,
    affects(object, old) {
      if (isOwnCreation(object, old, component)) return [];
      const [before, after] = [old?.metadata.ownerReferences, object?.metadata.ownerReferences];
      const isOwnerSame = object !== undefined && old !== undefined && sameJson(before, after);
      if (isOwnerSame && sameJson(seenOf(object), seenOf(old))) return [];
      const items = [...controllerWork(kind, object), ...controllerWork(kind, old)];
      const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
      const proxy = isOwnerSame || old === undefined ? undefined : proxyOf(name);
      // The name is free, or the object has another owner.
      if (proxy !== undefined) items.push(objectWork(kind, namespace, proxy));
      return [...new Set(items)];
    },
  });

  return {
    kind,
    ignores: (object, old) => isOwnReport(object, old, component),
    watches: [
      watchOf(gatewayOf, (name) => name),
      watchOf(httpRouteKind, (name) => name),
      watchOf(endpointSliceKind, (name) => /^(.+)-\d+-\d+$/.exec(name)?.[1]),
    ],
    async reconcile(target, proxy): Promise<Reconciled> {
      if (proxy.metadata.deletionTimestamp !== undefined) return done;
      const children = await keepChildren(target, proxy);
      await report(target, proxy, children);
      if (children.state === "conflict") return done;
      if (children.state === "incomplete") {
        if (children.quotaRefusal !== undefined) return again(quotaRetryMs);
        return again(children.isGoing ? goingMs : soonMs);
      }
      // Until the gateway's own controller has looked, its condition is of what it was before.
      const isBehind = isTrue(children.gateway, "Programmed") && children.program?.isLoaded !== true;
      return isBehind ? again(soonMs) : done;
    },
  };
}

/** The gateway first, for its name decides; the slices before the route that refers to them. */
function creationOrder(planned: readonly PlannedChild[]): (readonly [number, PlannedChild])[] {
  const place = ({ kind }: PlannedChild): number =>
    ["Gateway", "EndpointSlice", "HTTPRoute"].indexOf(kind.kind);
  return [...planned.entries()].sort(([, a], [, b]) => place(a) - place(b));
}

function isAsPlanned(object: KubeObject, { fields }: PlannedChild): boolean {
  return Object.entries(fields).every(([field, value]) => sameJson(object[field], value));
}

/** Whether a field differs that cannot be changed. */
function isReplaced(object: KubeObject, { fields }: PlannedChild): boolean {
  return !sameJson(object["addressType"], fields["addressType"]);
}

/** What a proxy sees of a child. */
function seenOf(child: KubeObject) {
  const { generation = null, deletionTimestamp = null } = child.metadata;
  return [
    ...[generation, deletionTimestamp, fieldAt(child, ["status", "addresses"]) ?? null],
    ...["Accepted", "Programmed"].map((type) => findCondition(child, type) ?? null),
    objectsIn(fieldAt(child, ["status", "listeners"])).map(({ conditions }) =>
      objectsIn(conditions).filter(({ type }) => type === "Accepted"),
    ),
  ];
}
