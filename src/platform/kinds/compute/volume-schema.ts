import { quantityField } from "../../../kube-server/api/quantity.ts";
import {
  choiceField,
  integerField,
  listItem,
  mapList,
  objectField,
  type Schema,
  textField,
  textMap,
} from "../../../kube-server/api/schema.ts";

const mode = integerField("int32", "Permissions of the files, between 0 and 0777 (octal). Defaults to 0644.");
const optional = (kind: string): Schema => ({
  type: "boolean",
  description: `Whether the ${kind} may be absent.`,
});
const items: Schema = {
  type: "array",
  description: "Not implemented: all keys become files.",
  items: listItem(["key", "path"], {
    key: textField("The key."),
    path: textField("Path of the file."),
    mode: integerField("int32", "Permissions of the file."),
  }),
};

const populator: Schema = objectField("What the disk holds at first: an image, or an empty filesystem.", [], {
  image: objectField("An image, from which a virtual machine can boot.", ["name"], {
    name: textField("Name of the image, such as platformcloud/ubuntu-2204-lts."),
  }),
  filesystem: objectField("An empty filesystem.", ["type"], {
    type: choiceField("Type of the filesystem.", ["ext4"]),
  }),
});

const disk: Schema = objectField("A disk of each instance's own.", ["template"], {
  deviceName: textField("Name of the device. Defaults to persistent-disk-<index of the volume>."),
  template: objectField("What the disks are made from.", ["spec"], {
    metadata: objectField("Metadata of the disks.", [], {
      labels: textMap("Labels of the disks."),
      annotations: textMap("Annotations of the disks."),
    }),
    spec: objectField("Desired state of the disks.", [], {
      type: { type: "string", description: "Type of the disk.", default: "pd-standard", minLength: 1 },
      resources: objectField("Size of the disk. Optional with an image.", [], {
        requests: {
          type: "object",
          description: "Amounts by resource. storage is a whole number of Gi from 10Gi to 100Gi.",
          additionalProperties: quantityField("An amount, such as 10Gi."),
        },
      }),
      populator,
    }),
  }),
});

/** More than an engine attaches; bounds the work of validation. */
const maxVolumes = 256;

/** `volumes` of an instance. */
export const volumesSchema: Schema = mapList(
  ["name"],
  listItem(["name"], {
    name: textField("Name of the volume, an RFC 1123 label."),
    disk,
    configMap: objectField("Files with the values of a ConfigMap.", [], {
      name: textField("Name of the ConfigMap."),
      defaultMode: mode,
      items,
      optional: optional("ConfigMap"),
    }),
    secret: objectField("Files with the values of a Secret.", [], {
      secretName: textField("Name of the Secret."),
      defaultMode: mode,
      items,
      optional: optional("Secret"),
    }),
  }),
  "Volumes that can be attached. Each has exactly one source: disk, configMap or secret.",
  { maxItems: maxVolumes },
);
