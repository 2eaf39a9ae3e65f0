import { quantityField } from "../../../kube-server/api/quantity.ts";
import {
  atomicList,
  choiceField,
  integerField,
  intOrStringField,
  listItem,
  mapList,
  objectField,
  type Schema,
  textField,
  textMap,
} from "../../../kube-server/api/schema.ts";
import { openReference } from "../references.ts";
import { probeFields } from "./probe-rules.ts";
import { volumesSchema } from "./volume-schema.ts";

/** A list whose items are identified by their names. */
function namedList(
  description: string,
  required: readonly string[],
  fields: Readonly<Record<string, Schema>>,
): Schema {
  return mapList(["name"], listItem(["name", ...required], fields), description);
}

const quantities = (description: string): Schema => ({
  type: "object",
  description,
  additionalProperties: quantityField("An amount, such as 2 or 8Gi."),
});

/** Schema of a key of a ConfigMap or Secret. */
const keyOf = (kind: string): Schema => ({
  type: "object",
  description: `A key of a ${kind} in the namespace of the workload.`,
  required: ["name", "key"],
  "x-kubernetes-map-type": "atomic",
  properties: {
    name: textField(`Name of the ${kind}.`),
    key: textField("The key whose value is selected."),
    optional: { type: "boolean", description: `Whether the ${kind} or its key may be absent.` },
  },
});

const env = namedList("Environment variables.", [], {
  name: textField("Name of the variable."),
  value: textField("Value of the variable. Defaults to an empty value."),
  valueFrom: objectField("Source of the value, instead of value.", [], {
    configMapKeyRef: keyOf("ConfigMap"),
    secretKeyRef: keyOf("Secret"),
    fieldRef: {
      type: "object",
      description: "A field of the instance.",
      required: ["fieldPath"],
      "x-kubernetes-map-type": "atomic",
      properties: {
        apiVersion: textField("Version of the schema that the path is written for."),
        fieldPath: textField("Path of the field, such as metadata.name."),
      },
    },
  }),
});

const ports = namedList("Ports that are named, for network policies.", ["port"], {
  name: textField("Name of the port."),
  port: integerField("int32", "Number of the port."),
  protocol: choiceField("Protocol. Defaults to TCP.", ["SCTP", "TCP", "UDP"]),
});

const volumeAttachments = (description: string): Schema => ({
  type: "array",
  description,
  items: listItem(["name"], {
    name: textField("Name of the volume."),
    mountPath: textField("Path at which the volume's files appear."),
  }),
});

/** More than an instance type runs, and more than an engine enforces; they bound the work of validation. */
const maxContainers = 64;
const maxRules = 1_000;

const runtime: Schema = objectField(
  "What runs: containers in a sandbox, or a virtual machine.",
  ["resources"],
  {
    resources: objectField("Resources of each instance.", ["instanceType"], {
      instanceType: textField("Type of the instances. The only one is platformcloud/d1-standard-2."),
      requests: quantities("Not implemented."),
    }),
    sandbox: objectField("Containers that share network and volumes.", ["containers"], {
      containers: {
        ...namedList("Containers of the sandbox.", ["image"], {
          name: textField("Name of the container, an RFC 1123 label."),
          image: textField("Image of the container."),
          env,
          resources: objectField("Not implemented: resources are those of the instance type.", [], {
            limits: quantities("Most that the container may use."),
            requests: quantities("What is kept for the container."),
          }),
          ports,
          ...probeFields,
          volumeAttachments: volumeAttachments("Volumes of the container."),
        }),
        minItems: 1,
        maxItems: maxContainers,
      },
      imagePullSecrets: {
        type: "array",
        description: "Secrets with the credentials of image registries.",
        items: listItem(["name"], { name: textField("Name of the Secret.") }),
      },
    }),
    virtualMachine: objectField("A virtual machine.", ["volumeAttachments"], {
      volumeAttachments: volumeAttachments(
        "Volumes of the machine. The first one is the boot volume: a disk with an image.",
      ),
      ports,
    }),
  },
);

const networkPolicy: Schema = objectField("Traffic that the interface admits.", [], {
  ingress: {
    type: "array",
    maxItems: maxRules,
    description: "Rules for incoming traffic. What no rule admits is refused.",
    items: listItem([], {
      ports: atomicList(
        listItem([], {
          protocol: choiceField("Protocol. Defaults to TCP.", ["SCTP", "TCP", "UDP"]),
          port: intOrStringField("Number or name of a port. Defaults to all ports."),
          endPort: integerField("int32", "Last of a range of ports that begins with port."),
        }),
        "Ports that the rule admits. Defaults to all ports.",
      ),
      from: atomicList(
        listItem([], {
          ipBlock: objectField("A block of addresses.", ["cidr"], {
            cidr: textField("The block, such as 192.168.1.0/24 or 2001:db8::/64."),
            except: atomicList({ type: "string" }, "Blocks in cidr that the rule does not admit."),
          }),
        }),
        "Sources that the rule admits. Defaults to all sources.",
      ),
    }),
  },
});

/** More than any instance type has. */
const maxInterfaces = 16;

const networkInterfaces: Schema = {
  type: "array",
  description: "Network interfaces of each instance.",
  maxItems: maxInterfaces,
  items: listItem(["network"], {
    network: openReference("The network.", "Network", "the namespace of the workload"),
    networkPolicy,
  }),
};

/** Fields of `spec` of a template, and of an Instance. */
export const instanceFields: Readonly<Record<string, Schema>> = {
  runtime,
  networkInterfaces,
  volumes: volumesSchema,
};

export const requiredInstanceFields: readonly string[] = ["runtime", "networkInterfaces"];

/** `template` of a Workload or WorkloadDeployment. */
export const templateSchema: Schema = objectField("What each instance is made from.", ["spec"], {
  metadata: objectField("Metadata of the instances.", [], {
    labels: textMap("Labels of the instances."),
    annotations: textMap("Annotations of the instances."),
  }),
  spec: objectField("Desired state of the instances.", requiredInstanceFields, instanceFields),
});
