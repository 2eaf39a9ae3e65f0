import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, isSet, objectsIn } from "../../../kube-server/api/fields.ts";
import { type LabelRequirement, matchesLabels } from "../../../kube-server/api/label-selector.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { atomicList, listItem, type Schema, textField } from "../../../kube-server/api/schema.ts";
import { isLabelKey, isLabelValue } from "../../../kube-server/api/selectors.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** Reference of gateways that choose namespaces by labels: what changes these finds them by it. */
export const selectingGateway = "selecting-gateway";

type Labels = Readonly<Record<string, string>>;

const maxRequirements = 16;
const maxValues = 64;

/** `allowedRoutes.namespaces` of a listener. */
export const allowedNamespacesSchema: Schema = {
  type: "object",
  description: "Namespaces of the routes.",
  default: { from: "Same" },
  properties: {
    from: {
      type: "string",
      description:
        "Same: the gateway's own namespace; All: every one of the project; Selector: those with labels of " +
        "the selector; None: no namespace.",
      enum: ["All", "Selector", "Same", "None"],
      default: "Same",
    },
    selector: {
      type: "object",
      description: "Labels of namespaces, where from is Selector. An empty one selects all.",
      "x-kubernetes-map-type": "atomic",
      properties: {
        matchLabels: {
          type: "object",
          description: "Labels that a namespace must have.",
          maxProperties: maxRequirements,
          additionalProperties: { type: "string" },
        },
        matchExpressions: {
          type: "array",
          description: "Further requirements.",
          maxItems: maxRequirements,
          "x-kubernetes-list-type": "atomic",
          items: listItem(["key", "operator"], {
            key: textField("Key of the label."),
            operator: textField("In, NotIn, Exists or DoesNotExist."),
            values: atomicList({ type: "string" }, "Values of In and NotIn.", { maxItems: maxValues }),
          }),
        },
      },
    },
  },
};

/** Checks `allowedRoutes.namespaces` at the path of its listener. */
export function checkAllowedNamespaces(listener: JsonObject, path: string, faults: FaultList): void {
  const from = fieldAt(listener, ["allowedRoutes", "namespaces", "from"]);
  const selector = fieldAt(listener, ["allowedRoutes", "namespaces", "selector"]);
  const place = `${path}.allowedRoutes.namespaces.selector`;
  if (from === "Selector" && !isSet(selector)) faults.add(requiredValue(place, "where from is Selector"));
  for (const [key, value] of Object.entries(fieldAt(selector, ["matchLabels"]) ?? {})) {
    checkKey(key, `${place}.matchLabels`, faults);
    checkValue(String(value), `${place}.matchLabels`, faults);
  }
  for (const [index, { key, operator, values }] of expressionsOf(selector).entries()) {
    const at = `${place}.matchExpressions[${index}]`;
    checkKey(String(key), `${at}.key`, faults);
    const texts = Array.isArray(values) ? values.map(String) : [];
    if (operator === "In" || operator === "NotIn") {
      if (texts.length === 0) faults.add(requiredValue(`${at}.values`, "where operator is In or NotIn"));
      for (const text of texts) checkValue(text, `${at}.values`, faults);
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (texts.length > 0) {
        faults.add(forbiddenValue(`${at}.values`, "not where operator is Exists or DoesNotExist"));
      }
    } else {
      faults.add(invalidValue(`${at}.operator`, String(operator), "not a valid label selector operator"));
    }
  }
}

function checkKey(key: string, path: string, faults: FaultList): void {
  if (!isLabelKey(key)) faults.add(invalidValue(path, key, "is not a valid label key"));
}

function checkValue(value: string, path: string, faults: FaultList): void {
  if (!isLabelValue(value)) faults.add(invalidValue(path, value, "is not a valid label value"));
}

/** Whether some listener chooses namespaces by their labels. */
export function selectsNamespaces(gateway: KubeObject): boolean {
  return objectsIn(fieldAt(gateway, ["spec", "listeners"])).some(
    (listener) => fieldAt(listener, ["allowedRoutes", "namespaces", "from"]) === "Selector",
  );
}

/** From which namespaces the listeners of a gateway take routes. Each pair of them is decided once. */
export class AllowedNamespaces {
  readonly #own: string;
  readonly #labels: ReadonlyMap<string, Labels>;
  readonly #decided = new Map<JsonObject, (namespace: string) => boolean>();

  /** @param labels of the namespaces whose routes name the gateway, where it selects by them */
  constructor(gateway: KubeObject, labels: ReadonlyMap<string, Labels> = new Map()) {
    this.#own = gateway.metadata.namespace ?? "";
    this.#labels = labels;
  }

  has(listener: JsonObject, namespace: string): boolean {
    let isAllowed = this.#decided.get(listener);
    if (isAllowed === undefined) {
      isAllowed = this.#ruleOf(listener);
      this.#decided.set(listener, isAllowed);
    }
    return isAllowed(namespace);
  }

  #ruleOf(listener: JsonObject): (namespace: string) => boolean {
    const from = fieldAt(listener, ["allowedRoutes", "namespaces", "from"]);
    switch (from) {
      case "All":
        return () => true;
      case "None":
        return () => false;
      case "Selector": {
        const requirements = requirementsOf(fieldAt(listener, ["allowedRoutes", "namespaces", "selector"]));
        const selected = new Set(
          [...this.#labels].flatMap(([name, labels]) => (matchesLabels(requirements, labels) ? [name] : [])),
        );
        return (namespace) => selected.has(namespace);
      }
      default:
        return (namespace) => namespace === this.#own;
    }
  }
}

function requirementsOf(selector: Json | undefined): LabelRequirement[] {
  const equal = Object.entries(fieldAt(selector, ["matchLabels"]) ?? {}).map(
    ([key, value]): LabelRequirement => ({ operator: "in", key, values: new Set([String(value)]) }),
  );
  const others = expressionsOf(selector).map(({ key, operator, values }): LabelRequirement => {
    const name = String(key);
    if (operator === "Exists") return { operator: "exists", key: name };
    if (operator === "DoesNotExist") return { operator: "absent", key: name };
    const set = new Set(Array.isArray(values) ? values.map(String) : []);
    return { operator: operator === "NotIn" ? "notin" : "in", key: name, values: set };
  });
  return [...equal, ...others];
}

function expressionsOf(selector: Json | undefined): JsonObject[] {
  return objectsIn(fieldAt(selector, ["matchExpressions"]));
}
