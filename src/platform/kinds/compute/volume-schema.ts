import { quantityField } from "../../../kube-server/api/quantity.ts";
import { integerField, type Schema, textField } from "../../../kube-server/api/schema.ts";

const mode = integerField("int32", "Permissions of the files, between 0 and 0777 (octal). Defaults to 0644.");
const optional = (kind: string): Schema => ({
  type: "boolean",
  description: `Whether the ${kind} may be absent.`,
});
const items: Schema = {
  type: "array",
  description: "Not implemented: all keys become files.",
  items: {
    type: "object",
    required: ["key", "path"],
    properties: {
      key: textField("The key."),
      path: textField("Path of the file."),
      mode: integerField("int32", "Permissions of the file."),
    },
  },
};

const populator: Schema = {
  type: "object",
  description: "What the disk holds at first: an image, or an empty filesystem.",
  properties: {
    image: {
      type: "object",
      description: "An image, from which a virtual machine can boot.",
      required: ["name"],
      properties: { name: textField("Name of the image, such as platformcloud/ubuntu-2204-lts.") },
    },
    filesystem: {
      type: "object",
      description: "An empty filesystem.",
      required: ["type"],
      properties: { type: { type: "string", description: "Type of the filesystem.", enum: ["ext4"] } },
    },
  },
};

const disk: Schema = {
  type: "object",
  description: "A disk of each instance's own.",
  required: ["template"],
  properties: {
    deviceName: textField("Name of the device. Defaults to persistent-disk-<index of the volume>."),
    template: {
      type: "object",
      description: "What the disks are made from.",
      required: ["spec"],
      properties: {
        metadata: {
          type: "object",
          description: "Metadata of the disks.",
          properties: {
            labels: {
              type: "object",
              description: "Labels of the disks.",
              additionalProperties: { type: "string" },
            },
            annotations: {
              type: "object",
              description: "Annotations of the disks.",
              additionalProperties: { type: "string" },
            },
          },
        },
        spec: {
          type: "object",
          description: "Desired state of the disks.",
          properties: {
            type: { type: "string", description: "Type of the disk.", default: "pd-standard", minLength: 1 },
            resources: {
              type: "object",
              description: "Size of the disk. Optional with an image.",
              properties: {
                requests: {
                  type: "object",
                  description: "Amounts by resource. storage is a whole number of Gi from 10Gi to 100Gi.",
                  additionalProperties: quantityField("An amount, such as 10Gi."),
                },
              },
            },
            populator,
          },
        },
      },
    },
  },
};

/** More than an engine attaches; bounds the work of validation. */
const maxVolumes = 256;

/** `volumes` of an instance. */
export const volumesSchema: Schema = {
  type: "array",
  description: "Volumes that can be attached. Each has exactly one source: disk, configMap or secret.",
  maxItems: maxVolumes,
  items: {
    type: "object",
    required: ["name"],
    properties: {
      name: textField("Name of the volume, an RFC 1123 label."),
      disk,
      configMap: {
        type: "object",
        description: "Files with the values of a ConfigMap.",
        properties: {
          name: textField("Name of the ConfigMap."),
          defaultMode: mode,
          items,
          optional: optional("ConfigMap"),
        },
      },
      secret: {
        type: "object",
        description: "Files with the values of a Secret.",
        properties: {
          secretName: textField("Name of the Secret."),
          defaultMode: mode,
          items,
          optional: optional("Secret"),
        },
      },
    },
  },
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};
