/** An image in full, as the engine is asked for it. */
export interface ImageReference {
  /** Host with port, such as `docker.io`. */
  readonly registry: string;
  /** `registry/repository:tag`, `registry/repository@digest`, or with both. */
  readonly full: string;
}

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const hostLabel = "[a-zA-Z0-9][a-zA-Z0-9-]{0,62}";
const host = `(?:${hostLabel}(?:\\.${hostLabel})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?`;
const version = "(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[a-f0-9]{64})?";
const pattern = new RegExp(`^(?:(${host})/)?(${component}(?:/${component})*)${version}$`);
const maxLength = 512;

/** Names that Podman takes for a way to read files of its own machine, before a colon. */
const transports = new Set([
  "containers-storage",
  "dir",
  "docker",
  "docker-archive",
  "docker-daemon",
  "oci",
  "oci-archive",
  "ostree",
  "sif",
  "tarball",
]);

/**
 * Completes an image's name as Docker does: without a tag it is the latest.
 *
 * @param defaultRegistry of names without one
 * @returns undefined for what is no name of an image in a registry, such as `docker-archive:/etc/passwd`
 */
export function imageReference(text: string, defaultRegistry = "docker.io"): ImageReference | undefined {
  if (text.length > maxLength) return undefined;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, first, rest = "", tag, digest = ""] = match;
  const isRegistry = first !== undefined && (/[.:]/.test(first) || first === "localhost");
  const path = first === undefined || isRegistry ? rest : `${first}/${rest}`;
  if (first !== undefined && !isRegistry && /[A-Z]/.test(first)) return undefined;
  if (isRegistry && transports.has(first.replace(/:.*/, "").toLowerCase())) return undefined;
  const registry = isRegistry ? first : defaultRegistry;
  const repository = registry === "docker.io" && !path.includes("/") ? `library/${path}` : path;
  const shownTag = tag ?? (digest === "" ? ":latest" : "");
  return { registry, full: `${registry}/${repository}${shownTag}${digest}` };
}
