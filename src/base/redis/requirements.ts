/** The result of checking a Redis against the requirements. */
export interface RequirementsReport {
  readonly version: string;
  /** The reason why this Redis cannot be used at all. */
  readonly refusal?: string;
  /** Settings of this Redis that will cause problems later. */
  readonly warnings: readonly string[];
}

const oldestVersion = { major: 6, minor: 2 };

/**
 * Checks a Redis against the requirements: version 6.2 or later (for BullMQ's scripts and the control plane's
 * commands), and no eviction, which would remove queue entries, locks and stored objects. Pure.
 *
 * @param info the reply to `INFO`: `name:value` lines
 * @param isStart whether eviction is refused; a daemon that runs is not ended for it
 */
export function checkRequirements(info: string, isStart: boolean): RequirementsReport {
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
  const version = field("redis_version");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const warnings: string[] = [];

  const policy = field("maxmemory_policy");
  const isEvicting = policy !== "" && policy !== "noeviction" && Number(field("maxmemory")) > 0;
  if (policy !== "" && policy !== "noeviction") {
    const limit = field("maxmemory") === "0" ? ", as soon as it is given a maxmemory" : "";
    warnings.push(
      `its maxmemory-policy is ${policy}: it would evict queue entries, locks and stored objects when its memory is full${limit}; set maxmemory-policy noeviction`,
    );
  }
  if (field("role") === "slave") warnings.push("it is a replica, which refuses writes; give its primary");

  const isTooOld =
    major < oldestVersion.major || (major === oldestVersion.major && minor < oldestVersion.minor);
  if (isEvicting && isStart) {
    const refusal = `Redis evicts what it stores when its memory is full: set maxmemory-policy noeviction (now ${policy})`;
    return { version, warnings, refusal };
  }
  if (version === "" || !isTooOld) return { version, warnings };
  return {
    version,
    warnings,
    refusal: `Redis ${version} is too old: version ${oldestVersion.major}.${oldestVersion.minor} or newer is needed`,
  };
}
