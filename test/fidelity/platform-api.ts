import { httpsRequest, organizationBase, projectBase, type TestPlatform } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";
import type { SendRequest } from "./replay.ts";

/** Creates a project and sends requests to its control plane. */
export async function projectApi(platform: TestPlatform, project: string): Promise<SendRequest> {
  const bearer = await platform.exchange(platform.token);
  const projects = `${organizationBase("acme")}/apis/resourcemanager.platformapis/v1alpha/projects`;
  const body = {
    apiVersion: "resourcemanager.platformapis/v1alpha",
    kind: "Project",
    metadata: { name: project },
  };
  await platform.fetch(projects, { method: "POST", bearer, body });
  await until(`project ${project} is ready`, async () => {
    const { json } = await platform.fetch(`${projects}/${project}`, { bearer });
    return json.status?.conditions?.[0]?.status === "True";
  });
  return sendTo(`${platform.url}${projectBase(project)}`, bearer);
}

export function sendTo(url: string, bearer?: string): SendRequest {
  return ({ path, ...request }) =>
    httpsRequest(`${url}${encodeURI(path).replaceAll("%25", "%")}`, { ...request, bearer });
}
