import type { LineSink } from "../../../base/log/log.ts";
import { declaredObjects } from "../../../kube-server/backup/declared-objects.ts";
import { toYaml } from "../../../kube-server/encoding/yaml.ts";
import { providerAnnotations } from "../../../platform/backup-records.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { audited } from "../platform/audited.ts";
import { type PlatformParts, withPlatform } from "../platform/platform-access.ts";
import { findProject, projectPlane } from "./create.ts";

export interface ExportOptions extends ConfigCommandOptions {
  /** `ORGANIZATION/NAME`. */
  readonly project: string;
  /** Whether Secrets are printed, with their values. */
  readonly withSecrets: boolean;
}

/**
 * `telemetryd backup export --project ORGANIZATION/NAME`: prints what is declared in a project as YAML for
 * `kubectl apply -f`. Of a Secret there is a comment only: applied without its values, it would lose them.
 *
 * @throws INVALID_ARGUMENT if there is no such project
 */
export async function exportProject(
  options: ExportOptions,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const config = await loadCommandConfig(options, signal);
  const print = async (parts: PlatformParts): Promise<void> => {
    const project = await findProject(parts, options.project);
    const { store, kinds, groupDomain } = parts;
    for await (const object of declaredObjects(store, kinds, project, providerAnnotations(groupDomain))) {
      signal.throwIfAborted();
      const { namespace = "", name = "" } = object.metadata;
      const isHidden = object.kind === "Secret" && !options.withSecrets;
      out.write(
        isHidden
          ? `# Secret ${namespace}/${name} is not exported: use --with-secrets\n`
          : `---\n${toYaml(object)}`,
      );
    }
  };
  const work = () => withPlatform(config, print, signal);
  // As reads of Secrets by requests.
  if (!options.withSecrets) return await work();
  const plane = projectPlane(options.project);
  await audited(
    config,
    { command: "backup export", verb: "list", resource: "secrets", group: "core", plane },
    work,
  );
}
