import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKubectl } from "../../../scripts/demo/kubectl.ts";
import type { Json } from "../../../src/kube-server/api/object.ts";
import { createKubectl, type Kubectl } from "./kubectl.ts";
import { organizationBase, projectBase, type TestPlatform, writeKubeconfig } from "./platform.ts";

/** The real kubectl; undefined where there is none. */
export const kubectlBinary = findKubectl();

/** kubectl, connected with the organization `acme` and with its project `web`. */
export interface ConnectedKubectl extends AsyncDisposable {
  /** For files of the test; removed at the end. */
  readonly folder: string;
  readonly organization: Kubectl;
  readonly project: Kubectl;
  /** Creates the project, and waits until its control plane answers. @returns what kubectl printed at first */
  createProject(): Promise<string>;
}

export async function connectKubectl(platform: TestPlatform): Promise<ConnectedKubectl> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-kubectl-"));
  const bearer = await platform.exchange(platform.token);
  const connect = async (base: string, name: string): Promise<Kubectl> => {
    const kubeconfig = join(folder, `${name}.json`);
    await writeKubeconfig(platform, kubeconfig, base, bearer);
    return createKubectl(kubectlBinary ?? "kubectl", kubeconfig, join(folder, `cache-${name}`));
  };
  const organization = await connect(organizationBase("acme"), "acme");
  return {
    folder,
    organization,
    project: await connect(projectBase("web"), "web"),
    async createProject() {
      const manifest = {
        ...{ apiVersion: "resourcemanager.platformapis/v1alpha", kind: "Project" },
        metadata: { name: "web" },
      };
      const printed = await organization.file(manifest, "create");
      await organization.ok("wait", "--for=condition=Ready", "project/web", "--timeout=30s");
      return printed;
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A `List` of manifests. */
export function listOf(...items: readonly Json[]) {
  return { apiVersion: "v1", kind: "List", items: [...items] };
}
