import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";

/** Options shared by the commands that use the configuration: `--config`, `--set`. */
export interface ConfigCommandOptions {
  readonly file: string;
  readonly overrides: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** @throws INVALID_CONFIGURATION, FILE_UNREADABLE */
export async function loadCommandConfig(options: ConfigCommandOptions, signal: AbortSignal): Promise<Config> {
  const sources = {
    file: options.file,
    flags: options.overrides,
    environment: options.environment ?? process.env,
  };
  return (await loadConfig(sources, signal)).config;
}
