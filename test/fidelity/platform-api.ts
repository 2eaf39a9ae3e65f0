import { httpsRequest, projectBase, type TestPlatform } from "../support/plane/platform.ts";
import type { SendRequest } from "./replay.ts";

/** Creates a project and sends requests to its control plane. */
export async function projectApi(platform: TestPlatform, project: string): Promise<SendRequest> {
  const bearer = await platform.exchange(platform.token);
  await platform.createProject(project);
  return sendTo(`${platform.url}${projectBase(project)}`, bearer);
}

export function sendTo(url: string, bearer?: string): SendRequest {
  return ({ path, ...request }) =>
    httpsRequest(`${url}${encodeURI(path).replaceAll("%25", "%")}`, { ...request, bearer });
}
