import { addMember, createOrganization } from "../../src/app/commands/platform/organization.ts";
import { createToken } from "../../src/app/commands/platform/token.ts";
import { httpsRequest, organizationBase } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";
import { honestProject, hostileProject } from "./scene.ts";

/** Personal Access Tokens of the three users; the exporter is a member of both organizations. */
export interface PlatformTokens {
  readonly exporter: string;
  readonly honest: string;
  readonly hostile: string;
}

/** Each project belongs to a separate organization of the same name. */
const organizations = [honestProject, hostileProject];

/**
 * An operator's setup before the daemon runs.
 * @param configFile without `controlPlane`, which needs the tokens
 */
export async function prepareUsers(configFile: string, signal: AbortSignal): Promise<PlatformTokens> {
  const command = { file: configFile, overrides: [], environment: {} };
  const silent = { write: () => undefined };
  const newToken = async (user: string): Promise<string> => {
    let text = "";
    await createToken({ ...command, user }, { write: (piece) => (text += piece) }, signal);
    return text.trim();
  };
  for (const name of organizations) {
    await createOrganization({ ...command, name }, silent, signal);
    // The daemon exports and runs workloads with one token.
    await addMember({ ...command, name, user: "exporter", role: "provider" }, silent, signal);
    await addMember({ ...command, name, user: `member-of-${name}` }, silent, signal);
  }
  return {
    exporter: await newToken("exporter"),
    honest: await newToken(`member-of-${honestProject}`),
    hostile: await newToken(`member-of-${hostileProject}`),
  };
}

/** Exchanges a Personal Access Token for a bearer token. */
export async function exchange(url: string, token: string): Promise<string> {
  const response = await httpsRequest(`${url}/platform-os/oauth/token/exchange`, { bearer: token });
  return response.json.access_token as string;
}

/** Creates a project in the organization of the same name; resolves when its control plane responds. */
export async function createProject(url: string, name: string, bearer: string, base: string): Promise<void> {
  const projects = `${url}${organizationBase(name)}/apis/resourcemanager.platformapis/v1alpha/projects`;
  const created = await httpsRequest(projects, { method: "POST", bearer, body: { metadata: { name } } });
  if (created.code !== 201) throw new Error(`project ${name}: ${created.code} ${created.text}`);
  await until(`the control plane of ${name} responses`, async () => {
    const { code } = await httpsRequest(`${url}${base}/api/v1/namespaces/default`, { bearer });
    return code === 200;
  });
}
