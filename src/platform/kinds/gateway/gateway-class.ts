import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { conditionsSchema } from "../../../kube-server/api/conditions.ts";
import { fixedUid } from "../../../kube-server/api/fixed-uid.ts";
import { ageColumn, apiVersionOf, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { objectField, textField } from "../../../kube-server/api/schema.ts";
import { gatewayClass, gatewayControllerName, gatewayNames } from "./gateway.ts";

const names = {
  group: gatewayNames.group,
  version: gatewayNames.version,
  kind: "GatewayClass",
  plural: "gatewayclasses",
} as const;

/** The classes of Gateways (Gateway API): there is one, which the platform has accepted. It can only be read. */
export function gatewayClassKind(groupDomain: string): KindDefinition {
  const controllerName = gatewayControllerName(groupDomain);
  return {
    ...names,
    shortNames: ["gc"],
    categories: ["gateway-api"],
    namespaced: false,
    planes: ["project"],
    nameRule: "subdomain",
    builtIn: false,
    statusSubresource: false,
    schema: objectField(
      "GatewayClass is a kind of gateways that Gateways can be of. It can only be read.",
      [],
      {
        spec: objectField("Who runs the gateways.", [], {
          controllerName: textField("Controller of the Gateways."),
          description: textField("What it is."),
        }),
        status: objectField("What is known of the class.", [], { conditions: conditionsSchema }),
      },
    ),
    columns: [
      fieldColumn("Controller", "Controller of the Gateways.", ["spec", "controllerName"]),
      {
        ...fieldColumn("Accepted", "Whether the class can be used.", ["status", "conditions", 0, "status"]),
        jsonPath: '.status.conditions[?(@.type=="Accepted")].status',
      },
      ageColumn,
    ],
    selectableFields: {},
    fixedObjects(_plane, createdAt) {
      const accepted = {
        type: "Accepted",
        status: "True",
        reason: "Accepted",
        message: "The class can be used",
        lastTransitionTime: createdAt,
        observedGeneration: 1,
      };
      const metadata = {
        name: gatewayClass,
        uid: fixedUid(controllerName),
        resourceVersion: "1",
        generation: 1,
        creationTimestamp: createdAt,
      };
      const spec = { controllerName, description: "HAProxy, run by telemetryd" };
      const status = { conditions: [accepted] };
      return [{ apiVersion: apiVersionOf(names), kind: names.kind, metadata, spec, status }];
    },
  };
}
