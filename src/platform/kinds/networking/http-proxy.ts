import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import {
  atomicList,
  listItem,
  objectField,
  type Schema,
  setList,
  textField,
} from "../../../kube-server/api/schema.ts";
import { requiredValue } from "../../../kube-server/api/validate.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { backendFilters, checkFilters } from "../gateway/filter-rules.ts";
import { gatewayAddresses } from "../gateway/gateway.ts";
import { checkHostname, hostnameSchema } from "../gateway/hostname-rules.ts";
import { checkRouteRules } from "../gateway/route-rules.ts";
import { everything, filtersSchema, matchesSchema, maxRules, ruleName } from "../gateway/route-schema.ts";
import { checkEndpoint } from "./proxy-endpoint.ts";

const backend: Schema = objectField("Where requests are forwarded to.", ["endpoint"], {
  endpoint: textField(
    "Address of the backend: http or https, a host, and a port unless it is the scheme's own.",
  ),
  filters: filtersSchema("Changes to what this backend gets, and to what it responds with."),
});

const spec: Schema = objectField("Which requests go where.", ["rules"], {
  hostnames: setList(
    hostnameSchema("A hostname; `*.` stands for one label or more."),
    "Hostnames besides the proxy's own; the project must prove that it has them.",
    { maxItems: 16 },
  ),
  rules: {
    type: "array",
    description: "The rules; the most specific match decides, then their order.",
    minItems: 1,
    maxItems: maxRules,
    "x-kubernetes-list-type": "atomic",
    items: listItem([], {
      name: ruleName,
      matches: matchesSchema,
      filters: filtersSchema("Changes to the request and the response, or a redirect."),
      backends: atomicList(backend, "The backend. None only beside a RequestRedirect filter.", {
        maxItems: 1,
      }),
    }),
  },
});

const status = pendingStatus("Where the proxy is reached.", ["Accepted", "Programmed"], {
  hostname: textField("The first of `hostnames`."),
  hostnames: atomicList({ type: "string" }, "Names under which the proxy is reached."),
  addresses: gatewayAddresses,
});

/**
 * A reverse proxy: a gateway with a hostname of its own, and where its requests go.
 *
 * @param isAllowed whether the operator allows a backend's address that tenants may not send to otherwise
 */
export function httpProxyKind(
  groupDomain: string,
  isAllowed: (address: string) => boolean = () => false,
): KindDefinition {
  const [programmed] = statusColumns("Programmed");
  return {
    ...alphaNames(`networking.${groupDomain}`, "HTTPProxy", "httpproxies"),
    ...declaredInProjects,
    nameRule: "label",
    schema: specAndStatus("HTTPProxy forwards requests for a hostname of its own to backends.", {
      spec,
      status,
    }),
    columns: [
      fieldColumn("Hostname", "Where the proxy is reached.", ["status", "hostnames", 0]),
      programmed,
      ageColumn,
    ],
    prepare(proxy) {
      // Defaults fill in what is absent; an empty list means the same.
      for (const rule of objectsIn(fieldAt(proxy, ["spec", "rules"]))) {
        if (Array.isArray(rule["matches"]) && rule["matches"].length === 0) rule["matches"] = everything();
      }
    },
    validate(proxy) {
      const faults = new FaultList();
      const rules = fieldAt(proxy, ["spec", "rules"]);
      checkRouteRules(rules, "spec.rules", "backends", faults);
      for (const [index, name] of stringList(fieldAt(proxy, ["spec", "hostnames"])).entries()) {
        checkHostname(name, `spec.hostnames[${index}]`, faults);
      }
      checkBackends(proxy, isAllowed, faults);
      return faults.errors;
    },
  };
}

function checkBackends(proxy: KubeObject, isAllowed: (address: string) => boolean, faults: FaultList): void {
  for (const [index, rule] of objectsIn(fieldAt(proxy, ["spec", "rules"])).entries()) {
    if (faults.isFull) return;
    const path = `spec.rules[${index}].backends`;
    const backends = objectsIn(rule["backends"]);
    const isRedirect = objectsIn(rule["filters"]).some(({ type }) => type === "RequestRedirect");
    if (backends.length === 0 && !isRedirect) {
      const why = "a backend is required unless a RequestRedirect filter is present on the rule";
      faults.add(requiredValue(path, why));
    }
    for (const [number, { endpoint, filters }] of backends.entries()) {
      checkEndpoint(endpoint, `${path}[${number}].endpoint`, isAllowed, faults);
      checkFilters(filters, backendFilters, `${path}[${number}].filters`, faults);
    }
  }
}
