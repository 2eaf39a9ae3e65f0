import { X509Certificate } from "node:crypto";
import { Gauge, Registry } from "prom-client";
import type { Clock } from "../base/core/clock.ts";
import { type AccessDirectory, isValid, type UsedToken } from "./access/directory.ts";
import { type KindDefinition, storedKind } from "./api/kind.ts";
import { qualifiedPlural } from "./api/status.ts";
import { type ControllerMetrics, createControllerMetrics, queueName } from "./controllers/metrics.ts";
import { type ApiMetrics, createApiMetrics } from "./http/metrics.ts";
import type { ObjectStore } from "./store/object-store.ts";
import type { Quota, Quotas, Usage } from "./store/usage.ts";

/** All metrics of a server. */
export interface ServerMetrics {
  readonly registry: Registry;
  readonly api: ApiMetrics;
  readonly controllers: ControllerMetrics;
  /** @param certificate PEM; what it is served with */
  certificate(certificate: string): void;
  measured(measures: Measures): void;
}

/** What is in the store, of all control planes together. */
export interface Measures {
  /** Objects by resource: `configmaps`, `workloads.compute.example.com`. */
  readonly objects: ReadonlyMap<string, number>;
  /** Work of the controllers that is due. */
  readonly dueWork: number;
  readonly fullest: readonly QuotaUse[];
  /** Tokens that expire within two weeks, the soonest first. */
  readonly expiring: readonly UsedToken[];
}

/** The part of a quota that is used: 1 is all of it. */
export interface QuotaUse {
  readonly quota: keyof Quotas;
  /** Of the organization or the project. */
  readonly name: string;
  readonly resource: string;
  readonly ratio: number;
}

/** Series of quotas: those of every project would be too many. */
const fullestCount = 50;
const leastRatio = 0.5;

export function createServerMetrics(): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  let measures: Measures | undefined;
  new Gauge({
    name: "apiserver_storage_objects",
    help: "Objects in all control planes, by resource; counted once a minute.",
    labelNames: ["resource"],
    registers,
    collect() {
      this.reset();
      for (const [resource, count] of measures?.objects ?? []) this.set({ resource }, count);
    },
  });
  new Gauge({
    name: "workqueue_depth",
    help: "Work of the controllers that is due, in all control planes; counted once a minute.",
    labelNames: ["name"],
    registers,
    collect() {
      if (measures !== undefined) this.set({ name: queueName }, measures.dueWork);
    },
  });
  new Gauge({
    name: "telemetryd_quota_used_ratio",
    help: "Used part of a quota: the 50 fullest of organizations and projects, from a half on.",
    labelNames: ["quota", "name", "resource"],
    registers,
    collect() {
      this.reset();
      for (const { ratio, quota, name, resource } of measures?.fullest ?? [])
        this.set({ quota, name, resource }, ratio);
    },
  });
  new Gauge({
    name: "telemetryd_access_token_expiry_timestamp_seconds",
    help: "When a Personal Access Token expires (Unix time): the 50 soonest of the next two weeks.",
    labelNames: ["user", "name", "id"],
    registers,
    collect() {
      this.reset();
      for (const { user, name = "", id, expiresAt = "" } of measures?.expiring ?? [])
        this.set({ user, name, id }, Date.parse(expiresAt) / 1_000);
    },
  });
  const expiry = new Gauge({
    name: "telemetryd_platform_certificate_expiry_timestamp_seconds",
    help: "When the certificate that the platform serves expires (Unix time).",
    registers,
  });
  // Without a value, it would be 1970.
  expiry.remove();
  return {
    registry,
    api: createApiMetrics(registry),
    controllers: createControllerMetrics(registry),
    certificate: (pem) => expiry.set(Date.parse(new X509Certificate(pem).validTo) / 1_000),
    measured(latest) {
      measures = latest;
    },
  };
}

export interface MeasuredParts {
  readonly store: ObjectStore;
  readonly directory: AccessDirectory;
  readonly kinds: readonly KindDefinition[];
  readonly quotas: Quotas;
  readonly clock: Clock;
}

/** Counts what all control planes hold, one after the other. */
export async function measure(parts: MeasuredParts, signal: AbortSignal): Promise<Measures> {
  const { store, directory, kinds, quotas, clock } = parts;
  const resources = [...new Set(kinds.map((kind) => qualifiedPlural(storedKind(kind))))];
  const objects = new Map(resources.map((resource) => [resource, 0]));
  const uses: QuotaUse[] = [];
  let dueWork = 0;
  const tokens = await directory.listTokens();
  const organizations = await directory.listOrganizations();
  for (const plane of [...organizations, ...(await directory.listProjects())]) {
    signal.throwIfAborted();
    const { counts, due } = await store.measure(plane, resources, clock.nowMs());
    dueWork += due;
    resources.forEach((resource, index) => {
      objects.set(resource, (objects.get(resource) ?? 0) + (counts[index] ?? 0));
    });
    const { type, name } = plane;
    const usage =
      type === "organization" ? await store.organizationUsage(name) : ((await store.usage(plane)) ?? {});
    uses.push(...usesOf(usage, quotas[type]).map((use) => ({ quota: type, name, ...use })));
    // All of them would be held at once otherwise.
    if (uses.length > 4 * fullestCount) uses.splice(0, uses.length, ...fullest(uses));
  }
  return { objects, dueWork, fullest: fullest(uses), expiring: expiring(tokens, clock.nowMs()) };
}

const warnedBeforeMs = 14 * 24 * 3_600_000;

function expiring(tokens: readonly UsedToken[], nowMs: number): UsedToken[] {
  const leftMs = ({ expiresAt = "" }: UsedToken) => Date.parse(expiresAt) - nowMs;
  return tokens
    .filter(
      (token) => token.expiresAt !== undefined && isValid(token, nowMs) && leftMs(token) < warnedBeforeMs,
    )
    .sort((a, b) => leftMs(a) - leftMs(b))
    .slice(0, fullestCount);
}

function usesOf(usage: Usage, quota: Quota): { resource: string; ratio: number }[] {
  return Object.entries(quota).flatMap(([resource, limit]) => {
    const used = usage[resource] ?? 0;
    // Nothing may be used of a quota of 0: it is never near its end.
    const ratio = limit > 0 ? used / limit : 0;
    return ratio >= leastRatio ? [{ resource, ratio }] : [];
  });
}

function fullest(uses: readonly QuotaUse[]): QuotaUse[] {
  return uses.toSorted((a, b) => b.ratio - a.ratio).slice(0, fullestCount);
}
