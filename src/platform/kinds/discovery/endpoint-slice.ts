import { parseAddress } from "../../../base/net/address-range.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { nameFault } from "../../../kube-server/api/metadata.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  choiceField,
  integerField,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { isLabelKey } from "../../../kube-server/api/selectors.ts";
import { duplicateValue, invalidValue } from "../../../kube-server/api/validate.ts";

/** Its names in paths and references. */
export const endpointSliceNames = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
} as const;

const maxEndpoints = 1_000;
const maxPorts = 100;

const endpoint: Schema = listItem(["addresses"], {
  addresses: {
    ...atomicList({ type: "string" }, "Addresses of the endpoint, of the slice's type."),
    minItems: 1,
    maxItems: 100,
    "x-kubernetes-list-type": "set",
  },
  conditions: objectField("State of the endpoint.", [], {
    ready: { type: "boolean", description: "It takes requests." },
    serving: { type: "boolean", description: "It takes requests, also while it ends." },
    terminating: { type: "boolean", description: "It is about to end." },
  }),
  hostname: textField("Name of the endpoint."),
});

const portSchema: Schema = listItem([], {
  name: textField("Name of the port, unique within the slice."),
  protocol: {
    type: "string",
    description: "Protocol of the port.",
    enum: ["TCP", "UDP", "SCTP"],
    default: "TCP",
  },
  port: integerField("int32", "Number of the port."),
  appProtocol: textField("Protocol of the application: http or https."),
});

/** Addresses and ports of a backend (discovery.k8s.io/v1). */
export const endpointSliceKind: KindDefinition = {
  ...endpointSliceNames,
  shortNames: [],
  categories: [],
  namespaced: true,
  planes: ["project"],
  nameRule: "subdomain",
  builtIn: true,
  hasGeneration: true,
  statusSubresource: false,
  selectableFields: {},
  schema: objectField("EndpointSlice holds the addresses and the ports of a backend.", ["addressType"], {
    addressType: choiceField("Type of all addresses. Cannot be changed.", ["IPv4", "IPv6", "FQDN"]),
    endpoints: { ...atomicList(endpoint, "The endpoints."), maxItems: maxEndpoints },
    ports: { ...atomicList(portSchema, "Ports of every endpoint."), maxItems: maxPorts },
  }),
  columns: [
    textColumn("AddressType", "Type of the addresses.", (slice) => String(slice["addressType"] ?? "")),
    textColumn("Ports", "Ports of every endpoint.", (slice) =>
      firstThree(objectsIn(slice["ports"]).map(({ port }) => String(port ?? "*"))),
    ),
    textColumn("Endpoints", "Addresses of the endpoints.", (slice) =>
      firstThree(objectsIn(slice["endpoints"]).map((each) => String(fieldAt(each, ["addresses", 0]) ?? ""))),
    ),
    ageColumn,
  ],
  validate(slice, old) {
    const faults = new FaultList();
    const type = slice["addressType"];
    if (old !== undefined && old["addressType"] !== type) {
      faults.add(invalidValue("addressType", type ?? null, "field is immutable"));
    }
    for (const [index, { addresses }] of objectsIn(slice["endpoints"]).entries()) {
      for (const [number, address] of (Array.isArray(addresses) ? addresses : []).entries()) {
        if (faults.isFull) return faults.errors;
        const why = addressFault(address, type);
        if (why !== undefined) {
          faults.add(invalidValue(`endpoints[${index}].addresses[${number}]`, address, why));
        }
      }
    }
    checkPorts(objectsIn(slice["ports"]), faults);
    return faults.errors;
  },
};

function checkPorts(ports: readonly JsonObject[], faults: FaultList): void {
  const names = new Set<string>();
  for (const [index, { name, port, appProtocol }] of ports.entries()) {
    if (faults.isFull) return;
    const path = `ports[${index}]`;
    const text = String(name ?? "");
    const why = text === "" ? undefined : nameFault(text, "label");
    if (why !== undefined) faults.add(invalidValue(`${path}.name`, text, why));
    if (names.has(text)) faults.add(duplicateValue(`${path}.name`, text));
    names.add(text);
    if (port !== undefined && !(typeof port === "number" && port >= 1 && port <= 65_535)) {
      faults.add(invalidValue(`${path}.port`, port, "must be between 1 and 65535, inclusive"));
    }
    if (typeof appProtocol === "string" && !isLabelKey(appProtocol)) {
      faults.add(invalidValue(`${path}.appProtocol`, appProtocol, "must be a qualified name"));
    }
  }
}

function addressFault(address: Json, type: Json | undefined): string | undefined {
  if (typeof address !== "string") return undefined;
  if (type === "FQDN") return nameFault(address, "subdomain");
  const kind = /[%[\]]/.test(address) ? undefined : parseAddress(address)?.kind();
  if (type === "IPv4") return kind === "ipv4" ? undefined : "must be a valid IPv4 address";
  return kind === "ipv6" ? undefined : "must be a valid IPv6 address";
}

/** As kubectl shows the parts of a slice. */
function firstThree(texts: readonly string[]): string {
  if (texts.length === 0) return "<unset>";
  const shown = texts.slice(0, 3).join(",");
  return texts.length > 3 ? `${shown} + ${texts.length - 3} more...` : shown;
}

function textColumn(name: string, description: string, value: (slice: KubeObject) => string) {
  return { name, type: "string", description, priority: 0, value } as const;
}
