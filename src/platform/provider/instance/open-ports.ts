import { objectsAt, textAt, textsAt } from "../plane/plane-object.ts";
import type { RuntimeAttachment } from "../runtime/runtime.ts";

type OpenPort = RuntimeAttachment["openPorts"][number];

/** More ports of one interface are not opened: each may cost the engine a process and a rule. */
export const maxOpenPorts = 256;

const protocols = new Set<unknown>(["TCP", "UDP", "SCTP"]);

/**
 * The ports that an interface's network policy opens to everybody. A rule for some address ranges only opens
 * nothing, since a runtime cannot distinguish callers: less is open than asked for, never more.
 *
 * @param containers of the sandbox, whose named ports a rule may name
 */
export function openPorts(
  networkInterface: Record<string, unknown>,
  containers: readonly Record<string, unknown>[],
): OpenPort[] {
  const named = new Map(
    containers.flatMap((container) =>
      objectsAt(container, "ports").map((port) => [port["name"], port["port"]] as const),
    ),
  );
  const found = new Map<string, OpenPort>();
  for (const rule of objectsAt(networkInterface, "networkPolicy", "ingress")) {
    if (!isForEverybody(rule)) continue;
    for (const { port, endPort, protocol = "TCP" } of objectsAt(rule, "ports")) {
      const first = typeof port === "string" ? named.get(port) : port;
      if (typeof first !== "number" || !protocols.has(protocol)) continue;
      const last = typeof endPort === "number" ? endPort : first;
      for (let number = first; number <= last && found.size < maxOpenPorts; number++) {
        const open = { protocol: protocol as OpenPort["protocol"], port: number };
        found.set(`${open.protocol} ${number}`, open);
      }
    }
  }
  return [...found.values()];
}

const maxNamedRules = 5;
const maxNamedRanges = 3;

/** Which rules of an Instance's network policies open nothing, for people; undefined if all are enforced. */
export function unenforcedRules(instance: unknown): string | undefined {
  const rules = objectsAt(instance, "spec", "networkInterfaces").flatMap((networkInterface, index) =>
    objectsAt(networkInterface, "networkPolicy", "ingress").flatMap((rule, position) => {
      if (isForEverybody(rule)) return [];
      return [`networkInterfaces[${index}].networkPolicy.ingress[${position}] (from ${rangesText(rule)})`];
    }),
  );
  return rules.length === 0 ? undefined : firstOf(rules, maxNamedRules);
}

function rangesText(rule: Record<string, unknown>): string {
  const ranges = objectsAt(rule, "from").map(({ ipBlock }) => {
    const excepted = textsAt(ipBlock, "except");
    const except = excepted.length === 0 ? "" : ` except ${firstOf(excepted, maxNamedRanges)}`;
    return `${textAt(ipBlock, "cidr") ?? "nobody"}${except}`;
  });
  return firstOf(ranges, maxNamedRanges);
}

function firstOf(texts: readonly string[], count: number): string {
  const more = texts.length - count;
  return `${texts.slice(0, count).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function isForEverybody(rule: Record<string, unknown>): boolean {
  const from = objectsAt(rule, "from");
  return (
    from.length === 0 ||
    from.some(({ ipBlock }) => {
      const cidr = textAt(ipBlock, "cidr");
      return (cidr === "0.0.0.0/0" || cidr === "::/0") && textsAt(ipBlock, "except").length === 0;
    })
  );
}
