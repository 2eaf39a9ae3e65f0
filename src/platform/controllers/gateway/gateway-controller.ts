import { findCondition } from "../../../kube-server/api/conditions.ts";
import { childObject, type KubeObject, sameJson } from "../../../kube-server/api/object.ts";
import { planeKey } from "../../../kube-server/api/plane.ts";
import { type NewCondition, timeText, withStatus } from "../../../kube-server/controllers/conditions.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import {
  again,
  type Controller,
  done,
  type Reconciled,
} from "../../../kube-server/controllers/controller.ts";
import { createEventRecorder } from "../../../kube-server/controllers/events.ts";
import { isOwnReport } from "../../../kube-server/controllers/own-writes.ts";
import {
  controllerWork,
  objectWork,
  parseWorkItem,
  referrersWork,
} from "../../../kube-server/controllers/work-items.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import {
  everyGateway,
  gatewayControllerName,
  gatewayFinalizer,
  gatewayKind,
} from "../../kinds/gateway/gateway.ts";
import { httpRouteKind, parentsOf } from "../../kinds/gateway/http-route.ts";
import { httpProxyKind } from "../../kinds/networking/http-proxy.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import type { ProgramReport, ProgramState } from "../../routing/program-store.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { createChangePace } from "./change-pace.ts";
import type { GatewayHostnames } from "./gateway-hostnames.ts";
import { type DerivedGateways, type GatewayView, readGateway } from "./gateway-reader.ts";
import {
  addressesOf,
  blockedText,
  gatewayAccepted,
  listenerStatus,
  noListener,
  programmedCondition,
  resolvedAddresses,
  tooManyChanges,
} from "./gateway-status.ts";
import { watchedGrants, watchedNamespaces } from "./gateway-work.ts";
import { certificatesAgainMs } from "./listener-certificates.ts";
import { namedRange } from "./own-ranges.ts";
import { againAfter, createProgramWaits } from "./program-waits.ts";
import { createResolvedAddresses } from "./resolved-addresses.ts";
import { resolvedRefs, withParents } from "./route-parents.ts";

/** Field manager of what is written for gateways, into routes too. */
export const gatewayComponent = "telemetryd-gateway-controller";

/** After so long, a gateway that says why it refuses a program is believed to mean the newest one. */
const overdueMs = 5_000;

/** Hands the program of a gateway to those that run, and reports the outcome. */
export function createGatewayController(
  options: PlatformControllerOptions,
  derived: DerivedGateways,
  hostnames: GatewayHostnames,
): Controller {
  const { groupDomain, clock, claims, programs, gatewayDomain } = options;
  const kind = gatewayKind(groupDomain);
  const proxyKind = httpProxyKind(groupDomain);
  const finalizer = gatewayFinalizer(groupDomain);
  const controllerName = gatewayControllerName(groupDomain);
  const objects = createControlObjects(options, gatewayComponent);
  const reading = { objects, claims, groupDomain, derived, hostnames };
  const events = createEventRecorder(options, gatewayComponent);
  const addresses = createResolvedAddresses(objects, groupDomain, clock);
  const waits = createProgramWaits(clock);
  const pace = createChangePace(clock);

  const stateOf = async (uid: string, version: number): Promise<ProgramState> =>
    gatewayDomain === undefined ? noneRunning : await programs.state(uid, version);

  const report = async (
    target: Target,
    gateway: KubeObject,
    { routes, hostnames: names, certificates }: Pick<GatewayView, "routes" | "hostnames" | "certificates">,
    condition: NewCondition,
    reports: readonly ProgramReport[],
  ): Promise<void> => {
    const now = timeText(clock.nowMs());
    const { generation } = gateway.metadata;
    await objects.changeStatus(
      target,
      (old) => {
        // Its program is not of this generation; the change is work of its own.
        if (old.metadata.generation !== generation) return old;
        const fields = {
          addresses: addressesOf(old, gatewayDomain),
          listeners: listenerStatus(old, routes, condition, names, certificates, now),
        };
        return withStatus(old, [gatewayAccepted(old, names), condition], fields, now);
      },
      gateway,
    );
    const isKnown = findCondition(gateway, "Programmed")?.["message"] === condition.message;
    const blocked = condition.status === "True" ? blockedText(reports) : undefined;
    if (blocked !== undefined && !isKnown) await warnOfBlocked(target, gateway, blocked);
  };

  const warnOfBlocked = async (target: Target, gateway: KubeObject, message: string): Promise<void> => {
    const warning = { type: "Warning", reason: "BackendBlocked", message } as const;
    await events.record(target, gateway, warning);
    for (const item of controllerWork(proxyKind, gateway)) {
      const work = parseWorkItem(item);
      if (work?.what !== "object") continue;
      const name = work.key.slice(objectKey(proxyKind, target.namespace, "").length);
      const proxy = await objects.get(target.plane, proxyKind, target.namespace, name);
      if (proxy !== undefined) await events.record({ ...target, kind: proxyKind, name }, proxy, warning);
    }
  };

  /** Writes what the gateway says of its routes. @param isGone it leaves them */
  const writeParents = async (
    target: Target,
    { routes, backends }: Pick<GatewayView, "routes" | "backends">,
    isGone: boolean,
  ): Promise<void> => {
    const now = timeText(clock.nowMs());
    const gateway = { namespace: target.namespace, name: target.name };
    for (const { route, attachments } of routes) {
      const { namespace = "", name = "", generation } = route.metadata;
      const parent = {
        gateway,
        controllerName,
        attachments: isGone ? [] : attachments,
        resolvedRefs: resolvedRefs(route, backends),
      };
      await objects.changeStatus(
        { plane: target.plane, kind: httpRouteKind, namespace, name },
        (old) => {
          if (old.metadata.generation !== generation) return old;
          const status = childObject(old, "status") ?? {};
          const parents = withParents(old, parent, now);
          return sameJson(parents, status["parents"]) ? old : { ...old, status: { ...status, parents } };
        },
        route,
      );
    }
  };

  /** Reads a gateway after it has taken the hostnames that it may. */
  const readSettled = async (target: Target, gateway: KubeObject) => {
    const { uid = "" } = gateway.metadata;
    const view = await readGateway(reading, target, gateway);
    const { states, againMs } = await hostnames.settle(target.plane, uid, view.hostnames);
    const isChanged = [...states].some(([name, { kind }]) => view.hostnames.get(name)?.kind !== kind);
    const next = isChanged ? await readGateway(reading, target, gateway) : view;
    return { view: { ...next, hostnames: states }, hostnamesAgainMs: againMs };
  };

  /** Takes the program out of every gateway before the object goes. */
  const finalize = async (target: Target, gateway: KubeObject): Promise<Reconciled> => {
    const { uid = "", finalizers = [] } = gateway.metadata;
    if (!finalizers.includes(finalizer)) return done;
    if (!waits.has(uid)) {
      const waitMs = pace.take(planeKey(target.plane));
      if (waitMs > 0) return again(waitMs);
    }
    const version = await programs.remove(uid);
    const { running, isLoaded } = version === 0 ? noneRunning : await programs.state(uid, version);
    if (running > 0 && !isLoaded) return again(againAfter(waits.waitedMs(uid, version), true));
    const view = await readGateway(reading, target, gateway);
    await writeParents(target, view, true);
    await hostnames.releaseAll(target.plane, uid);
    await programs.forget(uid);
    waits.forget(uid);
    await objects.dropFinalizer(target, finalizer);
    return done;
  };

  return {
    kind,
    ignores: (object, old) => isOwnReport(object, old, gatewayComponent),
    watches: [
      {
        // The route's own controller reports on its parents.
        kind: httpRouteKind,
        affects(object, old) {
          if (old === undefined) return [];
          const parents = (route: KubeObject | undefined): string[] =>
            (route === undefined ? [] : parentsOf(route)).map(({ gateway }) =>
              objectWork(kind, gateway.namespace, gateway.name),
            );
          const left = new Set(parents(object));
          return parents(old).filter((item) => !left.has(item));
        },
      },
      {
        kind: secretKind,
        affects(object, old) {
          const before = old?.["type"] === tlsSecret || object?.["type"] === tlsSecret;
          if (!before || sameJson(object?.["data"] ?? null, old?.["data"] ?? null)) return [];
          const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
          return [referrersWork(objectKey(secretKind, namespace, name))];
        },
      },
      watchedGrants,
      watchedNamespaces,
      {
        kind: subnetKind(groupDomain),
        affects: (object, old) =>
          namedRange(object)?.text === namedRange(old)?.text ? [] : [referrersWork(everyGateway)],
      },
    ],
    async reconcile(target, gateway) {
      if (gateway.metadata.deletionTimestamp !== undefined) return await finalize(target, gateway);
      const { uid = "" } = gateway.metadata;
      const { view, hostnamesAgainMs } = await readSettled(target, gateway);
      if ((await programs.versionOf(view.program)) === undefined) {
        const waitMs = pace.take(planeKey(target.plane));
        if (waitMs > 0) {
          await report(target, gateway, view, tooManyChanges, []);
          return again(waitMs);
        }
      }
      const version = await programs.put(view.program);
      const state = await stateOf(uid, version);
      const waitedMs = state.isLoaded ? 0 : waits.waitedMs(uid, version);
      const condition =
        view.program.listeners.length === 0 ? noListener : programmedCondition(state, waitedMs >= overdueMs);
      await report(target, gateway, view, condition, state.reports);
      await writeParents(target, view, false);
      const resolved = resolvedAddresses(state.reports);
      const addressesAgainMs = await addresses.write(target.plane, view.backends.slices.values(), resolved);
      if (!state.isLoaded) return again(againAfter(waitedMs, state.running > 0));
      waits.forget(uid);
      await hostnames.releaseOthers(uid, view.program.hostnames ?? []);
      const certificatesMs = certificatesAgainMs(view.certificates, clock.nowMs());
      const due = [addressesAgainMs, hostnamesAgainMs, certificatesMs].flatMap((ms) => ms ?? []);
      return due.length === 0 ? done : again(Math.min(...due));
    },
  };
}

const tlsSecret = "kubernetes.io/tls";
const noneRunning: ProgramState = { running: 0, isLoaded: false, reports: [] };
