/** Programs by name, each with its command (a shell's, from the project's folder) and one line about it. */
type Programs = Readonly<Record<string, readonly [command: string, about: string]>>;

const tsx = (file: string) => `node --import tsx ${file}`;

/** What `npm run prove`, `npm run bench` and `npm run generate` run, by name. */
export const programs = {
  prove: {
    abuse: [tsx("test/abuse/run.ts"), "exports and the API beside hostile members, receivers and clients"],
    clients: [
      "vitest run --config test/clients/vitest.config.ts",
      "clients of the Kubernetes API write every kind, and survive a new token",
    ],
    "compute-faults": [
      tsx("test/faults/compute.ts"),
      "workloads run as declared, though everything is killed (root, Podman)",
    ],
    conformance: [
      tsx("test/conformance/run.ts"),
      "the Gateway API's conformance suite against the platform and HAProxy (Go)",
    ],
    docker: [tsx("test/engine/docker.ts"), "the tests of real containers with Docker (root, Docker)"],
    documents: [tsx("test/documents/run.ts"), "the commands of documents work as printed"],
    engine: ["vitest run --config test/engine/vitest.config.ts", "tests of real containers (root, Podman)"],
    equality: [tsx("test/equality/run.ts"), "kills and edits neither lose nor invent a sample"],
    fairness: [
      tsx("test/load/fairness/run.ts"),
      "a sink of a million series and hung receivers delay no other",
    ],
    faults: [tsx("test/faults/delivery.ts"), "faults in every part neither lose nor invent a sample"],
    fidelity: [tsx("test/fidelity/run.ts"), "the platform responds as a Kubernetes API server does"],
    fleet: [tsx("test/fleet/run.ts"), "three replicas under kills neither lose nor invent a sample"],
    "go-client": [tsx("test/fidelity/go-client/run.ts"), "a typed Go client works as a controller does (Go)"],
    histories: [
      "env TELEMETRYD_TEST_HISTORIES=1000 vitest run --project unit src/exporter/delivery/exporter.property.test.ts",
      "a thousand random histories of the exporter",
    ],
    image: [
      tsx("scripts/test-image.ts"),
      "Docker builds the image, and it runs as the guide says (root, Debian)",
    ],
    informer: [tsx("test/load/platform-informer.ts"), "an informer's cache is right after many restarts"],
    mutation: ["stryker run", "the unit tests notice changed decisions"],
    package: [
      tsx("scripts/test-package.ts"),
      "the Debian package installs, runs, upgrades and leaves nothing (root)",
    ],
    plan: [tsx("test/load/plan.ts"), "`telemetryd plan` says what is then delivered, within 5 %"],
    "platform-load": [tsx("test/load/platform.ts"), "10,000 objects and 1,000 watches in one process"],
    "platform-projects": [tsx("test/load/platform-projects.ts"), "one exporter follows a thousand projects"],
    relabel: [tsx("test/relabel/run.ts"), "relabelling is equal to that of Prometheus' own package (Go)"],
    "roadmap-faults": [
      "vitest run --config test/faults/vitest.config.ts test/faults/roadmap.test.ts",
      "the roadmap under kills of Redis and its replicas",
    ],
  },
  bench: {
    api: [tsx("bench/api.ts"), "the roadmap's status operation beside a bare HTTP server"],
    audit: [tsx("bench/audit.ts"), "the cost of the platform's audit log"],
    "api-server": [tsx("bench/api-server.ts"), "the platform's API beside a Kubernetes API server (Go)"],
    backup: [tsx("bench/backup.ts"), "a backup of 100,000 objects of the platform, and its restore"],
    backfill: [tsx("bench/backfill.ts"), "`telemetryd export` beside vmctl"],
    "catch-up": [tsx("bench/catch-up.ts"), "a backlog of 20 million samples"],
    fleet: [tsx("bench/fleet.ts"), "one, two and three replicas"],
    gateway: [tsx("bench/gateway.ts"), "the gateway beside nginx"],
    "gateway-neighbour": [tsx("bench/gateway-neighbour.ts"), "edits beside a hostile project's Gateways"],
    growth: [tsx("bench/growth.ts"), "the cost by number of series and of policies"],
    idle: [tsx("bench/idle.ts"), "a daemon that has nothing to do"],
    late: [tsx("bench/late.ts"), "the cost of delivery.lateness when nothing is late"],
    loss: [
      tsx("bench/loss.ts"),
      "samples that arrive despite faults, beside vmagent and the Prometheus agent",
    ],
    memory: [tsx("bench/memory.ts"), "peak memory with a million live series"],
    micro: [tsx("bench/all.ts"), "each step of the hot path by itself, and the physical floor"],
    peers: [tsx("bench/peers.ts"), "CPU and memory beside vmagent and the Prometheus agent"],
    platform: [tsx("bench/platform.ts"), "workloads with the emulated provider"],
    "policy-changes": [tsx("bench/policy-changes.ts"), "10,000 policies, 100 of which change each second"],
    read: [tsx("bench/read.ts"), "receiving the store's raw export"],
    relabel: [tsx("bench/relabel.ts"), "five relabelling rules beside none, in live daemons"],
    requests: [tsx("bench/requests.ts"), "the longest time that one request blocks the platform"],
    send: [tsx("bench/send.ts"), "sending a remote-write request"],
    shapes: [tsx("bench/shapes.ts"), "batch sizes, and sinks that share each read"],
    "small-policies": [tsx("bench/small-policies.ts"), "10,000 policies of 10 series"],
    sizing: [tsx("bench/sizing.ts"), "CPU, the store's CPU and wire bytes by metrics.interval"],
    start: [tsx("bench/start.ts"), "from the start to the first delivered samples"],
  },
  // In the order of their runs: the chart contains the CRD.
  generate: {
    schema: [tsx("scripts/generate-config-schema.ts"), "the configuration's JSON Schema and tables of keys"],
    crd: [
      tsx("scripts/generate-crd.ts"),
      "the CustomResourceDefinition; DOMAIN prints that of another domain",
    ],
    chart: [tsx("scripts/generate-chart.ts"), "the Helm chart's files that have their source elsewhere"],
    dashboards: [tsx("scripts/generate-dashboards.ts"), "Grafana's dashboards"],
    conformance: [
      tsx("test/conformance/document.ts"),
      "the tests of the Gateway API's conformance suite in docs/http-proxies.md",
    ],
    licences: [tsx("scripts/generate-licences.ts"), "the list of third-party licences"],
  },
} as const satisfies Record<string, Programs>;

export type Script = keyof typeof programs;

/**
 * The commands for a script's arguments after its name; a text for the user when no program has that name.
 */
export function commandsFor(script: Script, name: string | undefined): readonly string[] | string {
  const named: Programs = programs[script];
  const program = name === undefined || !Object.hasOwn(named, name) ? undefined : named[name];
  if (program !== undefined) return [program[0]];
  if (script === "generate" && name === undefined) return Object.values(named).map(([command]) => command);
  const width = Math.max(...Object.keys(named).map((each) => each.length));
  return [
    ...(name === undefined || name.startsWith("-") ? [] : [`unknown name ${name}\n`]),
    `Usage: npm run ${script} -- NAME [OPTIONS]; NAME --help shows the options of one\n`,
    ...Object.entries(named).map(([each, [, about]]) => `  ${each.padEnd(width)}  ${about}`),
  ].join("\n");
}
