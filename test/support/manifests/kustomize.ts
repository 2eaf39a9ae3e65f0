import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";

/** The part of Kubernetes objects that the tests use. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  // biome-ignore lint/suspicious/noExplicitAny: fields are accessed by name, and a wrong name fails the test
  readonly [field: string]: any;
}

export type Labels = Readonly<Record<string, string>>;

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts?: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly readOnly?: boolean;
  }[];
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly [field: string]: any;
}

/**
 * The output of `kubectl kustomize` for a folder.
 * @throws with kubectl's message when it is not a kustomization
 */
export async function renderKustomization(kubectl: string, folder: string): Promise<Manifest[]> {
  const { stdout } = await promisify(execFile)(kubectl, ["kustomize", folder], { timeout: 40_000 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** A rendered folder, with lookups along the references between objects. */
export class Rendered {
  readonly objects: readonly Manifest[];

  constructor(objects: readonly Manifest[]) {
    this.objects = objects;
  }

  of(...kinds: string[]): Manifest[] {
    return this.objects.filter(({ kind }) => kinds.includes(kind));
  }

  find(kind: string, name: string): Manifest | undefined {
    return this.objects.find((object) => object.kind === kind && object.metadata.name === name);
  }

  get workloads(): Manifest[] {
    return this.of("Deployment", "StatefulSet");
  }

  /** The workload and the container that run telemetryd. */
  get telemetryd(): { readonly workload: Manifest; readonly container: Container } {
    for (const workload of this.workloads) {
      const container = containersOf(workload).find(({ name }) => name === "telemetryd");
      if (container !== undefined) return { workload, container };
    }
    throw new Error("no workload has a container telemetryd");
  }

  /** The files visible to a container below its ConfigMap and Secret mounts, by absolute path. */
  mountedFiles(workload: Manifest, container: Container): Map<string, string> {
    const files = new Map<string, string>();
    for (const { name, mountPath } of container.volumeMounts ?? []) {
      const volume = (workload["spec"].template.spec.volumes ?? []).find(
        (each: { name: string }) => each.name === name,
      );
      for (const source of volume?.projected?.sources ?? (volume === undefined ? [] : [volume])) {
        for (const [file, text] of Object.entries(this.#contents(source)))
          files.set(`${mountPath}/${file}`, text);
      }
    }
    return files;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  #contents(source: any): Record<string, string> {
    const configMap = source.configMap?.name;
    if (configMap !== undefined) return this.find("ConfigMap", configMap)?.["data"] ?? {};
    const secret = source.secret?.name ?? source.secret?.secretName;
    const data: Record<string, string> = this.find("Secret", secret)?.["data"] ?? {};
    return Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
    );
  }
}

export function containersOf(workload: Manifest): Container[] {
  return workload["spec"].template.spec.containers;
}
