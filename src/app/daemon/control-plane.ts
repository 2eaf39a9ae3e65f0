import { redact } from "../../base/log/redact.ts";
import type { BearerSnapshot } from "../../platform/client/api/token-provider.ts";
import type { ControlPlane } from "../../platform/client/control-plane.ts";
import type { WantedStatus } from "../../platform/client/status-writer.ts";
import type { Part, PartContext } from "./parts.ts";
import type { Policies } from "./policies.ts";

/**
 * The policies of control planes, whose statuses are written back.
 *
 * @param ca PEM of the authority to trust, unless `controlPlane.caFile` names another
 */
export async function openControlPlane(
  context: PartContext,
  ca: string | undefined,
  policies: Policies,
  statuses: () => Iterable<WantedStatus>,
): Promise<Part | undefined> {
  const { controlPlane, metrics } = context.config;
  if (controlPlane === undefined || metrics === undefined) return undefined;
  const { clock, log } = context;
  const { createControlPlane, createKubeconfigPlane } = await import(
    "../../platform/client/control-plane.ts"
  );
  const { createControlPlaneRegistry } = await import("../../platform/client/metrics.ts");
  const { apiUrl = "", groupDomain, organization, projects, accessTokenFile = "", caFile } = controlPlane;
  const { store, tenants } = policies;
  const common = { groupDomain, store, tenantLabel: metrics.tenantLabel, statuses, clock, log };
  const plane: ControlPlane =
    controlPlane.kubeconfig !== undefined
      ? createKubeconfigPlane({
          ...common,
          kubeconfig: controlPlane.kubeconfig,
          project: projects[0] ?? "cluster",
        })
      : createControlPlane({
          ...common,
          apiUrl,
          organization,
          projects,
          accessTokenFile,
          caFile,
          ca,
          onTenant: (project, id) => tenants?.annotate(project, id),
        });
  return {
    stage: "sources and servers",
    services: [plane.service],
    registries: [createControlPlaneRegistry(() => plane.bearer())],
    ...tokenHealth(() => plane.bearer()),
  };
}

/** What a control plane's bearer token means for the daemon's health. */
export function tokenHealth(bearer: () => BearerSnapshot): Pick<Part, "notReady" | "problems"> {
  return {
    notReady() {
      const { state, renewAt } = bearer();
      // A token that currently cannot be renewed still counts.
      const hasToken = state === "valid" || renewAt !== undefined;
      return hasToken ? undefined : "there is no token for the control plane yet";
    },
    problems: {
      token() {
        const { state, lastError = "" } = bearer();
        if (state !== "failing") return undefined;
        return `the control plane's token cannot be renewed: ${redact(lastError)}`;
      },
    },
  };
}
