/**
 * Applies a .dockerignore to the build context: the last matching line decides, `!` includes a path again,
 * and a folder's rule applies to its contents.
 *
 * @returns whether a path (relative, with /) is part of the context
 */
export function dockerContext(ignoreFile: string): (path: string) => boolean {
  const rules = ignoreFile
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => ({ keeps: line.startsWith("!"), pattern: toPattern(line.replace(/^!/, "")) }));
  return (path) => {
    const parts = path.split("/");
    const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    let keeps = true;
    for (const rule of rules) if (prefixes.some((prefix) => rule.pattern.test(prefix))) keeps = rule.keeps;
    return keeps;
  };
}

function toPattern(glob: string): RegExp {
  const source = glob.replace(/^\/|\/$/g, "").replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    return token === "?" ? "[^/]" : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
