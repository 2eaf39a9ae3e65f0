import { defined } from "../../base/core/defined.ts";
import { type Plane, planeBase } from "../api/plane.ts";
import { auditLine, bounded, eventHead, microTime } from "./audit.ts";

/** What a command on the machine does to the platform without a request. */
export interface MachineAction {
  /** A verb of Kubernetes' RBAC. */
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly name?: string | undefined;
  /** Resources of Kubernetes' core group are `core`. Default: those that the platform has beside projects. */
  readonly group?: "core";
  /** The control plane that has the object; absent: the platform itself. */
  readonly plane?: Pick<Plane, "type" | "name"> | undefined;
  /** Whose token it is. */
  readonly tokenUser?: string | undefined;
  /** That is given. */
  readonly role?: string | undefined;
}

/** Who calls the command, and how it ended. */
export interface MachineCall {
  readonly groupDomain: string;
  /** Account of the operating system. */
  readonly account: string;
  /** The account that called `sudo`. */
  readonly sudoAccount?: string | undefined;
  readonly userAgent: string;
  readonly code: number;
  readonly receivedMs: number;
  readonly endedMs: number;
}

/** Reasons as a Status of Kubernetes has them. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  404: "NotFound",
  409: "Conflict",
  422: "Invalid",
  503: "ServiceUnavailable",
};

/**
 * Such an action as an event of the audit log, with a path that the API would have for the object.
 *
 * @returns a line with its line break
 */
export function machineAuditLine(action: MachineAction, call: MachineCall): string {
  const { plane, resource, subresource, tokenUser, role } = action;
  const { groupDomain, code, sudoAccount } = call;
  const apiGroup = action.group === "core" ? undefined : `resourcemanager.${groupDomain}`;
  const apiVersion = apiGroup === undefined ? "v1" : "v1alpha";
  const name = action.name === undefined ? undefined : bounded(action.name);
  const base = plane === undefined ? "" : planeBase(plane.type, bounded(plane.name), groupDomain);
  const root = apiGroup === undefined ? "api" : `apis/${apiGroup}`;
  const path = [root, apiVersion, resource, name, subresource].filter((part) => part !== undefined);
  const details = {
    "control-plane": plane && `${plane.type}/${plane.name}`,
    "token-user": tokenUser,
    role,
  };
  const annotations = Object.entries(details).flatMap(([key, value]) =>
    value === undefined ? [] : [[`${groupDomain}/${key}`, bounded(value)] as const],
  );
  return auditLine({
    ...eventHead(),
    stage: "ResponseComplete",
    requestURI: `${base}/${path.join("/")}`,
    verb: action.verb,
    user: {
      username: bounded(`system:machine:${call.account}`),
      groups: ["system:masters"],
      ...(sudoAccount && { extra: { [`${groupDomain}/sudo-user`]: [bounded(sudoAccount)] } }),
    },
    userAgent: bounded(call.userAgent),
    objectRef: defined({ resource, name, apiGroup, apiVersion, subresource }),
    responseStatus: defined({
      metadata: {},
      code,
      reason: code < 400 ? undefined : (reasons[code] ?? "InternalError"),
    }),
    requestReceivedTimestamp: microTime(call.receivedMs),
    stageTimestamp: microTime(call.endedMs),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  });
}
