/** Search rules of resolv.conf(5), by which a Kubernetes pod resolves `receiver.monitoring`. */
export interface SearchRules {
  readonly domains: readonly string[];
  /** A name with fewer dots is tried with the search domains first. */
  readonly ndots: number;
}

/** glibc's limits: each further domain costs a query per name. */
const maxDomains = 6;
const maxNdots = 15;

/** The last `search` or `domain` line wins; `options` lines accumulate. */
export function parseResolvConf(text: string): SearchRules {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split("\n")) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    if (keyword === "search") domains = words;
    else if (keyword === "domain") domains = words.slice(0, 1);
    else if (keyword === "options") {
      for (const word of words) {
        const number = /^ndots:(\d{1,9})$/.exec(word)?.[1];
        if (number !== undefined) ndots = Math.min(Number(number), maxNdots);
      }
    }
  }
  const names = domains.map((domain) => domain.replace(/\.$/, "").toLowerCase());
  return { domains: names.filter((name) => name !== "").slice(0, maxDomains), ndots };
}

/** The absolute names that a name may stand for, in query order. */
export function candidates(name: string, { domains, ndots }: SearchRules): readonly string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const completed = domains.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  const all = dots >= ndots ? [name, ...completed] : [...completed, name];
  return all.filter((candidate) => candidate.length <= 253);
}
