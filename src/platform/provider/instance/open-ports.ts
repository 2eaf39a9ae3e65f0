import { objectsAt, textAt, textsAt } from "../plane/plane-object.ts";
import type { OpenPort } from "../runtime/runtime.ts";
import { rangeTexts, type Span, sourceSpans } from "./source-ranges.ts";

/** As admission has it: pairs of a port and a block of all rules. With more, an interface is closed. */
const maxPairs = 2_000;

const protocols = ["TCP", "UDP", "SCTP"] as const;
const everyPort: readonly Record<string, unknown>[] = protocols.map((protocol) => ({ protocol }));
const [firstPort, lastPort] = [1, 65_535];
const closed = protocols.map(
  (protocol): OpenPort => ({ protocol, port: firstPort, endPort: lastPort, isUnnamed: true, from: [] }),
);

/** Ports that a rule admits, with the ranges of their callers; undefined: everybody. */
interface Admitted {
  readonly first: number;
  readonly last: number;
  readonly from: readonly Span[] | undefined;
  /** Not for all ports. */
  readonly isNamed: boolean;
}

/**
 * The ports that an interface's network policy opens, and for whom: apart from each other, in order. As in
 * Kubernetes, a rule without ports opens all, and a port without a number those of its protocol.
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
  const admitted = new Map<OpenPort["protocol"], Admitted[]>();
  let [portCount, blockCount] = [0, 0];
  for (const rule of objectsAt(networkInterface, "networkPolicy", "ingress")) {
    const ports = objectsAt(rule, "ports");
    portCount += Math.max(ports.length, 1);
    blockCount += blocksIn(rule);
    if (portCount * Math.max(blockCount, 1) > maxPairs) return closed;
    const from = callersOf(rule);
    for (const { port, endPort, protocol = "TCP" } of ports.length === 0 ? everyPort : ports) {
      const key = protocols.find((each) => each === protocol);
      const isNamed = port !== undefined;
      const first = isNamed ? (typeof port === "string" ? named.get(port) : port) : firstPort;
      if (key === undefined || typeof first !== "number") continue;
      const last = typeof endPort === "number" && endPort >= first ? endPort : first;
      const known = admitted.get(key) ?? [];
      known.push({ first, last: isNamed ? last : lastPort, from, isNamed });
      admitted.set(key, known);
    }
  }
  return [...admitted].flatMap(([protocol, all]) =>
    apart(all).map(({ first, last, from, isNamed }): OpenPort => {
      const ports = last === first ? { port: first } : { port: first, endPort: last };
      const callers = from === undefined ? {} : { from: rangeTexts(from) };
      return { protocol, ...ports, ...(isNamed ? {} : { isUnnamed: true }), ...callers };
    }),
  );
}

/** Ports of which no two overlap: where several rules admit one, the callers of all of them. */
function apart(all: readonly Admitted[]): Admitted[] {
  const edges = all
    .flatMap(({ first, last, from, isNamed }) => [
      { port: first, from, isNamed, change: 1 },
      { port: last + 1, from, isNamed, change: -1 },
    ])
    .sort((a, b) => a.port - b.port);
  /** How many of a rule's ports cover the present one, by the rule's callers. */
  const covering = new Map<Admitted["from"], number>();
  let namedCount = 0;
  return edges.flatMap(({ port, from, isNamed, change }, index) => {
    if (isNamed) namedCount += change;
    const count = (covering.get(from) ?? 0) + change;
    if (count === 0) covering.delete(from);
    else covering.set(from, count);
    const next = edges[index + 1]?.port ?? port;
    if (next === port || covering.size === 0) return [];
    const callers = covering.has(undefined) ? undefined : [...covering.keys()].flatMap((spans = []) => spans);
    return [{ first: port, last: next - 1, from: callers, isNamed: namedCount > 0 }];
  });
}

function blocksIn(rule: Record<string, unknown>): number {
  const from = objectsAt(rule, "from");
  return from.reduce((count, { ipBlock }) => count + 1 + textsAt(ipBlock, "except").length, 0);
}

/** The callers that a rule admits; undefined: everybody. */
function callersOf(rule: Record<string, unknown>): Span[] | undefined {
  const from = objectsAt(rule, "from");
  if (from.length === 0) return undefined;
  return sourceSpans(
    from.map(({ ipBlock }) => ({
      cidr: textAt(ipBlock, "cidr") ?? "",
      except: textsAt(ipBlock, "except"),
    })),
  );
}

const maxNamedRules = 5;
const maxNamedRanges = 3;

/** Which rules of an Instance's network policies are for some ranges only, for people; undefined if none is. */
export function rangedRules(instance: unknown): string | undefined {
  const rules = objectsAt(instance, "spec", "networkInterfaces").flatMap((networkInterface, index) =>
    objectsAt(networkInterface, "networkPolicy", "ingress").flatMap((rule, position) => {
      if (callersOf(rule) === undefined) return [];
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
