import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { conditionsSchema, pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, isSet, objectsIn } from "../../../kube-server/api/fields.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { JsonObject } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  integerField,
  listItem,
  mapList,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { forbiddenValue, invalidValue } from "../../../kube-server/api/validate.ts";
import { declaredInProjects } from "../declared-in-projects.ts";
import {
  allowedNamespacesSchema,
  checkAllowedNamespaces,
  selectingGateway,
  selectsNamespaces,
} from "./allowed-namespaces.ts";
import { checkHostname, hostnameSchema } from "./hostname-rules.ts";
import { certificateReferences, checkTls, listenerTls, secretsInUse } from "./listener-tls.ts";
import { dnsNamePattern, opaqueObject as opaque, portField } from "./route-schema.ts";

/** Its names in paths and references. */
export const gatewayNames = {
  group: "gateway.networking.k8s.io",
  version: "v1",
  kind: "Gateway",
  plural: "gateways",
} as const;

/** The only class. */
export const gatewayClass = "external-global-proxy";

/** Controller of the class, as the status of routes names it. */
export function gatewayControllerName(groupDomain: string): string {
  return `gateway.networking.${groupDomain}/${gatewayClass}-controller`;
}

/** Reference that all gateways have: what concerns all of them finds them by it. */
export const everyGateway = "every-gateway";

/** Removed by the gateway controller once every gateway has dropped the hostname. */
export function gatewayFinalizer(groupDomain: string): string {
  return `gateway.networking.${groupDomain}/gateway-controller`;
}

const httpRoutes = { group: gatewayNames.group, kind: "HTTPRoute" } as const;

/** Kinds of routes that a listener takes, and names of those that it asks for in vain. */
export function routeKindsOf(listener: JsonObject): {
  readonly supported: readonly JsonObject[];
  readonly unsupported: readonly string[];
} {
  const named = objectsIn(fieldAt(listener, ["allowedRoutes", "kinds"]));
  const isHttp = ({ group, kind }: JsonObject) => group === httpRoutes.group && kind === httpRoutes.kind;
  const isServed = listenerFault(listener)?.reason !== "UnsupportedProtocol";
  return {
    supported: isServed && (named.length === 0 || named.some(isHttp)) ? [httpRoutes] : [],
    unsupported: named.filter((each) => !isHttp(each)).map(({ kind }) => String(kind)),
  };
}

const portOf = { HTTP: 80, HTTPS: 443 } as const;

/** Why a listener cannot be served, as its condition Accepted says; undefined if it can. */
export function listenerFault({
  protocol,
  port,
}: JsonObject):
  | { readonly reason: "UnsupportedProtocol" | "PortUnavailable"; readonly message: string }
  | undefined {
  if (protocol !== "HTTP" && protocol !== "HTTPS") {
    const message = `The protocol ${String(protocol)} is not supported: use HTTP or HTTPS`;
    return { reason: "UnsupportedProtocol", message };
  }
  if (port === portOf[protocol]) return undefined;
  const message = `Port ${String(port)} is not available: a listener of ${protocol} has port ${portOf[protocol]}`;
  return { reason: "PortUnavailable", message };
}

const listener: Schema = listItem(["name", "port", "protocol"], {
  name: {
    ...textField("Name of the listener."),
    minLength: 1,
    maxLength: 253,
    pattern: dnsNamePattern,
  },
  hostname: hostnameSchema(
    "Hostname whose requests it takes, besides the gateway's own; the project must prove that it has it.",
  ),
  port: portField("80 for HTTP, 443 for HTTPS; a listener on another port is not served."),
  protocol: {
    ...textField("HTTP or HTTPS; a listener of another protocol is not served."),
    minLength: 1,
    maxLength: 255,
    pattern:
      "^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?$|" +
      "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[A-Za-z0-9]+$",
  },
  tls: listenerTls,
  allowedRoutes: {
    type: "object",
    description: "Which routes may be attached.",
    default: { namespaces: { from: "Same" } },
    properties: {
      namespaces: allowedNamespacesSchema,
      kinds: atomicList(
        listItem(["kind"], {
          group: { ...textField("Group of the kind."), default: gatewayNames.group },
          kind: { ...textField("The kind."), minLength: 1, maxLength: 63 },
        }),
        "Kinds of the routes; HTTPRoute is the only one that there is. Defaults to it.",
        { maxItems: 8 },
      ),
    },
  },
});

/** `status.addresses`, also of an HTTPProxy. */
export const gatewayAddresses: Schema = atomicList(
  listItem(["value"], { type: textField("Hostname."), value: textField("The address.") }),
  "Addresses of the gateway.",
  { maxItems: 16 },
);

const status = pendingStatus("Where the gateway is reached.", ["Accepted", "Programmed"], {
  addresses: gatewayAddresses,
  listeners: mapList(
    ["name"],
    listItem(["name", "attachedRoutes"], {
      name: textField("Name of the listener."),
      supportedKinds: atomicList(
        listItem(["kind"], { group: textField("Group of the kind."), kind: textField("The kind.") }),
        "Kinds of routes that may be attached.",
      ),
      attachedRoutes: integerField("int32", "Routes that are attached."),
      conditions: conditionsSchema,
    }),
    "What is known of each listener.",
    { maxItems: 64 },
  ),
});

/** A hostname with its listeners (Gateway API). Made for an HTTPProxy, or by users. */
export function gatewayKind(groupDomain: string): KindDefinition {
  const [programmed] = statusColumns("Programmed");
  return {
    ...gatewayNames,
    ...declaredInProjects,
    shortNames: ["gtw"],
    categories: ["gateway-api"],
    schema: objectField("Gateway is a hostname whose requests HTTPRoutes send on.", ["spec"], {
      spec: objectField("How the gateway is reached.", ["gatewayClassName", "listeners"], {
        gatewayClassName: { ...textField(`Class: ${gatewayClass}.`), minLength: 1, maxLength: 253 },
        listeners: mapList(["name"], listener, "Ports that the gateway listens on.", {
          minItems: 1,
          maxItems: 64,
        }),
        addresses: atomicList(opaque("An address."), "Not supported: the platform assigns addresses.", {
          maxItems: 16,
        }),
        infrastructure: opaque("Not supported."),
        backendTLS: opaque("Not supported: TLS of backends is always verified by their names."),
      }),
      status,
    }),
    columns: [
      fieldColumn("Class", "Class of the gateway.", ["spec", "gatewayClassName"]),
      fieldColumn("Address", "Where the gateway is reached.", ["status", "addresses", 0, "value"]),
      programmed,
      ageColumn,
    ],
    prepare: finalizedFromCreation(gatewayFinalizer(groupDomain)),
    serverFinalizers: [gatewayFinalizer(groupDomain)],
    references: (gateway) => [
      everyGateway,
      ...(selectsNamespaces(gateway) ? [selectingGateway] : []),
      ...certificateReferences(gateway),
    ],
    uses: secretsInUse,
    validate(gateway) {
      const faults = new FaultList();
      const className = fieldAt(gateway, ["spec", "gatewayClassName"]);
      if (className !== gatewayClass) {
        faults.add(unsupportedValue("spec.gatewayClassName", className, [gatewayClass]));
      }
      for (const [field, why] of Object.entries(assignedByPlatform)) {
        if (isSet(fieldAt(gateway, ["spec", field]))) faults.add(forbiddenValue(`spec.${field}`, why));
      }
      const listeners = objectsIn(fieldAt(gateway, ["spec", "listeners"]));
      if (new Set(listeners.map(addressOf)).size < listeners.length) {
        faults.add(invalidValue("spec.listeners", "array", sameListener));
      }
      for (const [index, each] of listeners.entries()) {
        if (faults.isFull) break;
        checkListener(each, `spec.listeners[${index}]`, groupDomain, faults);
      }
      return faults.errors;
    },
  };
}

const assignedByPlatform = {
  addresses: "the platform assigns the addresses",
  infrastructure: "the platform runs the gateway",
  backendTLS: "certificates of backends are always verified by their names",
} as const;

const sameListener = "Combination of port, protocol and hostname must be unique for each listener";

function addressOf({ port, protocol, hostname }: JsonObject): string {
  return JSON.stringify([port, protocol, hostname ?? ""]);
}

function checkListener(listener: JsonObject, path: string, groupDomain: string, faults: FaultList): void {
  const { protocol, tls } = listener;
  // Its condition says that it is not served, whatever else it has.
  if (listenerFault(listener)?.reason === "UnsupportedProtocol") return;
  if (isSet(fieldAt(tls, ["frontendValidation"]))) {
    faults.add(forbiddenValue(`${path}.tls.frontendValidation`, "certificates of clients are not asked for"));
  }
  checkHostname(listener["hostname"], `${path}.hostname`, faults);
  checkAllowedNamespaces(listener, path, faults);
  if (protocol === "HTTP" && isSet(tls)) {
    faults.add(forbiddenValue(`${path}.tls`, "only a listener of the protocol HTTPS has it"));
  }
  if (protocol === "HTTPS") checkTls(listener, `${path}.tls`, groupDomain, faults);
}
