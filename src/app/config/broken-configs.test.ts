import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { printFault } from "../../base/core/fault.ts";
import { configKeys } from "./keys.ts";
import { checkConfig } from "./load.ts";

/** Broken configurations and their messages: `line:column: severity: path: message`. */
const metrics = "metrics: { url: http://127.0.0.1:8428 }\n";
const ops = "ops:\n";

/** Only telemetryd.yaml exists. */
const onlyItself = async (path: string, expects: string) =>
  path.endsWith("/telemetryd.yaml") === (expects === "file")
    ? undefined
    : `names a ${expects} that does not exist`;

describe("broken configurations", () => {
  test.each<
    [
      name: string,
      faults: readonly string[],
      text: string,
      flags?: string[],
      environment?: Record<string, string>,
    ]
  >([
    [
      "not YAML",
      ["2:1: error: Flow map in block collection must be sufficiently indented and end with a }"],
      "metrics: {\n",
    ],
    [
      "a list",
      ["1:1: error: must be an object with sections such as policies, metrics and ops"],
      "- metrics\n",
    ],
    [
      "two documents",
      ["3:1: error: must be one document, not several separated by ---"],
      "ops:\n---\nops:\n",
    ],
    [
      "a key twice",
      ["3:1: error: ops: is written twice; keep one"],
      "ops:\n  listen: :1\nops:\n  listen: :2\n",
    ],
    [
      "nothing in it",
      [
        "1:1: warning: has none of the sections policies, controlPlane, roadmap, api, ops, platform: nothing would run",
      ],
      "",
    ],
    [
      "a delay that is shorter than VictoriaMetrics takes to show a series",
      [
        "2:19: warning: metrics.delay: is short: VictoriaMetrics shows a new series some 10 s late, and its samples from before are not exported; give 15s or more",
      ],
      `${ops}metrics: { delay: 14s, url: http://127.0.0.1:8428 }\n`,
    ],
    [
      "a delay that is short for VictoriaMetrics, but long enough",
      [],
      `${ops}metrics: { delay: 15s, url: http://127.0.0.1:8428 }\n`,
    ],
    [
      "a short delay with Prometheus",
      [],
      `${ops}metrics: { delay: 1s, flavor: prometheus, url: http://127.0.0.1:8428 }\n`,
    ],
    [
      "an unknown section",
      ['2:1: error: metric: is not a key (did you mean "metrics"?)'],
      `${ops}metric: {}\n`,
    ],
    [
      "an unknown key",
      ['4:3: error: metrics.intervall: is not a key (did you mean "interval"?)'],
      `${ops}metrics:\n  url: http://h\n  intervall: 5s\n`,
    ],
    [
      "an unknown key that is like none",
      ["2:10: error: state.path: is not a key; known here: directory"],
      `${ops}state: { path: x }\n`,
    ],
    [
      "policies without metrics",
      [
        "1:11: error: policies: needs the section metrics: the store that samples are read from (metrics.url)",
      ],
      "policies: { directory: . }\n",
    ],
    [
      "no address of the store",
      [
        "2:1: error: metrics.url: is required: The metrics store (VictoriaMetrics or Prometheus); a path prefix such as /select/0/prometheus is kept, and {tenant} in it replaced with tenancy: path",
      ],
      `${ops}metrics: {}\n`,
    ],
    [
      "an address without a scheme",
      ['2:17: error: metrics.url: must be an absolute http or https URL, not "127.0.0.1:8428"'],
      `${ops}metrics: { url: 127.0.0.1:8428 }\n`,
    ],
    [
      "an address with a password",
      ["2:17: error: metrics.url: must not hold a user name or password; give them in a file"],
      `${ops}metrics: { url: "http://u:hunter2@h" }\n`,
    ],
    [
      "an address with a query",
      ["2:17: error: metrics.url: must not have a query (?) or a fragment (#)"],
      `${ops}metrics: { url: "http://h/?token=x" }\n`,
    ],
    [
      "settings of a store with tenants, for one without",
      [
        "3:8: error: metrics.url: holds {tenant}, which needs metrics.tenancy: path",
        "4:17: error: metrics.tenantHeader: needs metrics.tenancy: header",
        "5:12: error: metrics.tenants: needs metrics.tenancy: header or path",
        "6:19: error: metrics.operatorTenant: needs metrics.tenancy: header or path",
      ],
      `${ops}metrics:\n  url: http://h/{tenant}\n  tenantHeader: X-Org\n  tenants: annotation\n  operatorTenant: ops\n`,
    ],
    [
      "tenants by a path without a place for them",
      [
        "2:17: error: metrics.url: must hold {tenant} in its path with metrics.tenancy: path, as in /select/{tenant}/prometheus",
        "2:65: error: metrics.operatorTenant: must not be multitenant, which stands for all tenants of a VictoriaMetrics cluster",
      ],
      `${ops}metrics: { url: http://h/select, tenancy: path, operatorTenant: Multitenant }\n`,
    ],
    [
      "{tenant} in the host",
      [
        "2:17: error: metrics.url: must hold {tenant} in its path with metrics.tenancy: path, as in /select/{tenant}/prometheus",
      ],
      `${ops}metrics: { url: "http://{tenant}.h/{tenant}", tenancy: path }\n`,
    ],
    [
      "tenants by a header that is given too, and by a label",
      [
        "4:16: error: metrics.tenantLabel: cannot be given together with metrics.tenancy: header, which distinguishes tenants; remove one",
        "5:29: error: metrics.headers.x-scope-orgid: is metrics.tenantHeader, which names the tenant of each request; remove it",
      ],
      `${ops}metrics:\n  url: http://h\n  tenantLabel: project\n  headers: { x-scope-orgid: all }\n  tenancy: header\n`,
    ],
    ...["authorization", "Host", "Content-Type", "accept-encoding", "User-Agent"].map(
      (name): [string, string[], string] => [
        `${name} as the tenant's header`,
        ["2:58: error: metrics.tenantHeader: must not be a header that has another meaning"],
        `${ops}metrics: { url: http://h, tenancy: header, tenantHeader: ${name} }\n`,
      ],
    ),
    [
      "a tenant's header that is none",
      ["2:58: error: metrics.tenantHeader: is not a header name (RFC 9110, section 5.1)"],
      `${ops}metrics: { url: http://h, tenancy: header, tenantHeader: "X Org" }\n`,
    ],
    [
      "two tenants of the operator",
      ["2:60: error: metrics.operatorTenant: must consist of letters, digits, -, _ and ."],
      `${ops}metrics: { url: http://h, tenancy: header, operatorTenant: a|b }\n`,
    ],
    [
      "annotations without an organization whose Projects have them",
      [
        "5:12: error: metrics.tenants: needs controlPlane.organization: the annotation is read from the organization's Projects; give name, or a file of project: tenant",
      ],
      "controlPlane: { apiUrl: https://h, projects: [web], accessTokenFile: telemetryd.yaml }\nmetrics:\n  url: http://h\n  tenancy: header\n  tenants: annotation\n",
    ],
    [
      "a kubeconfig whose project has no name, but a tenant",
      [
        "1:1: error: controlPlane.projects: must name the project that the kubeconfig reaches, since it has a tenant",
      ],
      "controlPlane: { kubeconfig: telemetryd.yaml }\nmetrics: { url: http://h, tenancy: header }\n",
    ],
    [
      "policies of a directory without a tenant",
      [
        "1:11: warning: policies: read nothing without metrics.operatorTenant, the tenant that they are read as",
      ],
      "policies: { directory: . }\nmetrics: { url: http://h, tenancy: header }\n",
    ],
    [
      "a file of tenants that is not there",
      ["2:53: error: metrics.tenants: names a file that does not exist"],
      `${ops}metrics: { url: http://h, tenancy: header, tenants: tenants.yaml }\n`,
    ],
    [
      "a section that is text",
      ['2:10: error: metrics: must be an object, not "http://h"'],
      `${ops}metrics: http://h\n`,
    ],
    [
      "a duration without a unit",
      ['2:37: error: metrics.interval: must be a duration such as 250ms, 5s, 1m30s or 24h, not "15"'],
      `${ops}metrics: { url: http://h, interval: 15 }\n`,
    ],
    [
      "a duration in days",
      ['2:26: error: delivery.maxBackfill: must be a duration such as 250ms, 5s, 1m30s or 24h, not "7d"'],
      `${ops}delivery: { maxBackfill: 7d }\n`,
    ],
    [
      "durations out of bounds",
      [
        "2:37: error: metrics.interval: must be between 100ms and 1h, not 50ms",
        "2:50: error: metrics.delay: must be between 0s and 1h, not 2h",
      ],
      `${ops}metrics: { url: http://h, interval: 50ms, delay: 2h }\n`,
    ],
    [
      "a size without sense",
      ['2:26: error: delivery.memoryLimit: must be a size such as 64KiB, 256MiB or 1GiB, not "lots"'],
      `${ops}delivery: { memoryLimit: lots }\n`,
    ],
    [
      "a size that is too small",
      ["2:26: error: delivery.memoryLimit: must be between 16MiB and 1024GiB, not 1MiB"],
      `${ops}delivery: { memoryLimit: 1MiB }\n`,
    ],
    [
      "a number that is text, and one that is too large",
      [
        '2:40: error: metrics.concurrency: must be a number, not "two"',
        "3:26: error: delivery.concurrency: must be at most 64, not 1000",
      ],
      `${ops}metrics: { url: http://h, concurrency: two }\ndelivery: { concurrency: 1000 }\n`,
    ],
    [
      "a word that is none of the known",
      ['2:35: error: metrics.flavor: must be auto, victoriametrics or prometheus, not "victoria"'],
      `${ops}metrics: { url: http://h, flavor: victoria }\n`,
    ],
    [
      "a word that is nearly right",
      [
        '2:15: error: log.level: must be fatal, error, warn, info, debug or trace, not "warning"',
        '3:26: error: delivery.onExhausted: must be replay or drop, not "Drop" (did you mean "drop"?)',
      ],
      `${ops}log: { level: warning }\ndelivery: { onExhausted: Drop }\n`,
    ],
    [
      "yes is no truth value",
      ['2:23: error: egress.trustProxy: must be true or false, not "yes"'],
      `${ops}egress: { trustProxy: yes }\n`,
    ],
    [
      "basic authentication without a password",
      ["2:27: error: metrics.basicAuth.passwordFile: is required: Password for the store"],
      `${ops}metrics: { url: http://h, basicAuth: { username: u } }\n`,
    ],
    [
      "a file that does not exist",
      ["2:44: error: metrics.bearerTokenFile: names a file that does not exist"],
      `${ops}metrics: { url: http://h, bearerTokenFile: secrets/token }\n`,
    ],
    [
      "a directory that is a file",
      ["2:24: error: policies.directory: names a directory that does not exist"],
      `${metrics}policies: { directory: telemetryd.yaml }\n`,
    ],
    [
      "two ways to authenticate",
      ["5:20: error: metrics.bearerTokenFile: cannot be given together with metrics.basicAuth; keep one"],
      ops +
        "metrics:\n  url: http://h\n  basicAuth: { username: u, passwordFile: telemetryd.yaml }\n  bearerTokenFile: telemetryd.yaml\n",
    ],
    [
      "a certificate without a key",
      ["2:32: error: metrics.tls: needs keyFile too: a certificate and its key go together"],
      `${ops}metrics: { url: http://h, tls: { certFile: telemetryd.yaml } }\n`,
    ],
    [
      "a credential among the headers",
      [
        "2:53: error: metrics.headers.Authorization: must not be set here; a credential is given by basicAuth or bearerTokenFile",
      ],
      `${ops}metrics: { url: http://h, headers: { Authorization: Basic Zm9v } }\n`,
    ],
    [
      "reserved headers of remote write",
      [
        "5:36: error: delivery.endpoints[0].headers.content-encoding: must not be set; remote write reserves it",
        "5:57: error: delivery.endpoints[0].headers.Authorization: must not be set here; a credential is given by the policy's authentication or bearerTokenFile",
        "5:72: error: delivery.endpoints[0].headers[bad name]: is not a header name (RFC 9110, section 5.1)",
        "5:79: error: delivery.endpoints[0].headers.Ok: has a value with a character that no header may hold",
      ],
      ops +
        'delivery:\n  endpoints:\n    - urlPrefix: https://a/\n      headers: { content-encoding: gzip, Authorization: x, "bad name": x, Ok: "a\\nb" }\n',
    ],
    [
      "an endpoint prefix twice, a wrong label, a proxy",
      [
        "5:35: error: delivery.endpoints[0].externalLabels.bad-name: must be a label name: letters, digits and _, not beginning with a digit",
        "6:18: error: delivery.endpoints[1].urlPrefix: is the same as delivery.endpoints[0].urlPrefix; keep one",
        "7:17: error: delivery.endpoints[1].proxyUrl: needs egress.trustProxy: true, since the receiver's address cannot be checked behind a proxy",
      ],
      ops +
        "delivery:\n  endpoints:\n    - urlPrefix: https://a/\n      externalLabels: { bad-name: x }\n    - urlPrefix: https://a/\n      proxyUrl: http://proxy:3128\n",
    ],
    [
      "startFrom beyond maxBackfill",
      ["2:24: error: delivery.startFrom: must be at most delivery.maxBackfill, which is 24h"],
      `${ops}delivery: { startFrom: 48h }\n`,
    ],
    [
      "startFrom that is neither now nor a duration",
      [
        '2:24: error: delivery.startFrom: must be now or a duration such as 250ms, 5s, 1m30s or 24h, not "yesterday"',
      ],
      `${ops}delivery: { startFrom: yesterday }\n`,
    ],
    [
      "an address range",
      [
        '2:18: error: egress.deny[0]: must be an address range such as 10.0.0.0/8 or fd00::/8, not "10.0.0.0/33"',
        '2:31: error: egress.deny[1]: must be an address range such as 10.0.0.0/8 or fd00::/8, not "localhost"',
      ],
      `${ops}egress: { deny: [10.0.0.0/33, localhost] }\n`,
    ],
    [
      "what is no address of a name server, and no prefix of NAT64",
      [
        '2:25: error: egress.nameServers[0]: must be an address such as 10.0.0.10, 10.0.0.10:53 or [fd00::a]:53, not "dns.example"',
        '2:38: error: egress.nameServers[1]: must be an address such as 10.0.0.10, 10.0.0.10:53 or [fd00::a]:53, not "10.0.0.1:70000"',
        '3:19: error: egress.nat64Prefixes[0]: must be an IPv6 prefix of 32, 40, 48, 56, 64 or 96 bits such as 2001:db8:64::/96, not "64:ff9b::/95"',
      ],
      `${ops}egress: { nameServers: [dns.example, "10.0.0.1:70000", "[::1]:53", "::1", 1.1.1.1],\n  nat64Prefixes: ["64:ff9b::/95", "2001:db8:64::/96"] }\n`,
    ],
    [
      "a control plane without a store's tenant label",
      [
        '2:10: error: metrics: needs tenantLabel, since controlPlane is present: the label that holds the project\'s name, or "" where the store holds the samples of one tenant only',
      ],
      "controlPlane: { apiUrl: https://a, organization: acme, accessTokenFile: telemetryd.yaml }\nmetrics: { url: http://h }\n",
    ],
    [
      "external addresses of a provider: one that is none, and too many",
      [
        "2:79: error: provider.engine.externalAddresses: has 4097 addresses and can have 4096: give smaller ranges",
        '2:104: error: provider.engine.externalAddresses[2]: must be addresses of this machine such as 203.0.113.10, 2001:db8::10, 203.0.113.16/28 or 203.0.113.10-203.0.113.20, not "h"',
      ],
      `controlPlane: { apiUrl: https://a, organization: acme, accessTokenFile: telemetryd.yaml }\nprovider: { kind: engine, cloudProjectId: local, engine: { externalAddresses: [10.0.0.0/20, 192.0.2.1, h] } }\n`,
    ],
    [
      "a control plane that is nowhere",
      ["1:15: error: controlPlane: needs apiUrl or kubeconfig"],
      'controlPlane: {}\nmetrics: { url: http://h, tenantLabel: "" }\n',
    ],
    [
      "organization and projects, no token",
      [
        "1:15: error: controlPlane: needs accessTokenFile: the file of the Personal Access Token",
        "1:66: error: controlPlane.projects: cannot be given together with controlPlane.organization; keep one",
      ],
      "controlPlane: { apiUrl: https://a, organization: acme, projects: [web] }\nmetrics: { url: http://h, tenantLabel: project }\n",
    ],
    [
      "a project with the directory's name",
      [
        '1:33: error: controlPlane.projects[1]: cannot be "directory": that is the plane of policies.directory, whose policies have the operator\'s rights',
      ],
      'controlPlane: { projects: [web, directory], apiUrl: https://a, accessTokenFile: telemetryd.yaml }\nmetrics: { url: http://h, tenantLabel: "" }\n',
    ],
    [
      "kubeconfig and apiUrl",
      [
        "1:1: error: controlPlane.projects: must name the project that the kubeconfig reaches, since metrics.tenantLabel is forced",
        "1:25: error: controlPlane.apiUrl: cannot be given together with controlPlane.kubeconfig; keep one",
      ],
      "controlPlane: { apiUrl: https://a, kubeconfig: telemetryd.yaml }\nmetrics: { url: http://h, tenantLabel: project }\n",
    ],
    [
      "a tenant label that is none",
      [
        "2:40: error: metrics.tenantLabel: must be a label name: letters, digits and _, not beginning with a digit",
      ],
      `${ops}metrics: { url: http://h, tenantLabel: project-name }\n`,
    ],
    [
      "a roadmap from nowhere",
      ["1:10: error: roadmap: needs board or file: where the backlog comes from"],
      "roadmap: {}\n",
    ],
    [
      "a roadmap from two places",
      [
        "1:18: error: roadmap.file: cannot be given together with roadmap.board; keep one",
        "1:42: error: roadmap.board: needs tokenFile or app: boards are read with credentials",
        "1:69: error: roadmap.board.number: must be at least 1, not 0",
      ],
      "roadmap: { file: telemetryd.yaml, board: { organization: a, number: 0 } }\n",
    ],
    [
      "webhooks without an address, and without a secret",
      [
        "1:77: error: roadmap.board.webhook.secretFile: is required: The webhook's secret, at least 16 bytes",
        "1:86: error: roadmap.board.webhook: needs the section api: webhooks arrive at its address",
      ],
      "roadmap: { board: { organization: a, number: 1, tokenFile: telemetryd.yaml, webhook: {} } }\n",
    ],
    [
      "listen addresses",
      [
        '1:16: error: ops.listen: must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or :8080, not "localhost"',
        '2:16: error: api.listen: must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or :8080, not "127.0.0.1:70000"',
      ],
      "ops: { listen: localhost }\napi: { listen: 127.0.0.1:70000 }\nroadmap: { file: telemetryd.yaml }\n",
    ],
    [
      "one address for two",
      ["2:1: error: platform.listen: is the address of ops.listen too; each needs its own"],
      "ops: { listen: 127.0.0.1:8081 }\nplatform:\n",
    ],
    [
      "a gateway without what it runs",
      [
        "3:3: error: gateway: needs the section platform: the control planes whose HTTPProxies it serves",
        "3:8: error: gateway.tls: needs certFile too: a certificate and its key go together",
      ],
      `${ops}gateway:\n  tls: { keyFile: telemetryd.yaml }\n`,
    ],
    [
      "a gateway at addresses that others have",
      [
        "2:20: error: gateway.listen: is the address of platform.listen too; each needs its own",
        "2:47: error: gateway.tlsListen: is the address of ops.listen too; each needs its own",
      ],
      "platform:\ngateway: { listen: 127.0.0.1:8081, tlsListen: 127.0.0.1:9464 }\nops:\n",
    ],
    [
      "a gateway with one address for both",
      ["2:23: error: gateway.tlsListen: is the address of gateway.listen too; each needs its own"],
      "platform:\ngateway: { tlsListen: 127.0.0.1:8082 }\n",
    ],
    [
      "two free ports of a gateway",
      [],
      'platform: { listen: ":0" }\ngateway: { listen: ":0", tlsListen: ":0" }\n',
    ],
    [
      "a gateway's values that are none",
      [
        '3:11: error: gateway.domain: must be a DNS name in lower case of at most 200 characters such as proxy.example.com, not "Proxy.example.com"',
        '4:25: error: gateway.trustedProxies[1]: must be an address range such as 10.0.0.0/8 or fd00::/8, not "proxy"',
        "5:11: error: gateway.caFile: names a file that does not exist",
        "6:26: error: gateway.limits.connections: must be at least 10, not 9",
        "6:47: error: gateway.limits.requestsPerProxy: must be at least 1, not 0",
        '7:14: error: gateway.accessLog: must be true or false, not "stdout"',
      ],
      "platform:\ngateway:\n  domain: Proxy.example.com\n  trustedProxies: [::1, proxy]\n  caFile: ca.pem\n  limits: { connections: 9, requestsPerProxy: 0 }\n  accessLog: stdout\n",
    ],
    [
      "zones of a gateway that overlap",
      [
        "4:21: error: gateway.zones[1].domain: overlaps gateway.zones[0]: a hostname belongs to one project",
        "5:21: error: gateway.zones[2].domain: overlaps gateway.domain, proxy.localhost",
        '6:21: error: gateway.zones[3].domain: must be a DNS name in lower case of at most 200 characters such as proxy.example.com, not "*.c.example"',
      ],
      [
        "platform:",
        "gateway: { zones: [",
        "          { domain: a.example, project: web },",
        "          { domain: b.a.example, project: web },",
        "          { domain: localhost, project: web },",
        "          { domain: '*.c.example', project: web },",
        "          { domain: xa.example, project: web } ] }",
        "",
      ].join("\n"),
    ],
    [
      "a Redis that is none",
      [
        '2:15: error: redis.url: must be a redis or rediss URL such as redis://127.0.0.1:6379, not "http://127.0.0.1"',
      ],
      `${ops}redis: { url: http://127.0.0.1 }\n`,
    ],
    [
      "a Redis list",
      ['2:27: error: redis.url[1]: must be a redis or rediss URL such as redis://127.0.0.1:6379, not "7"'],
      `${ops}redis: { url: [redis://a, 7] }\n`,
    ],
    [
      "sentinels without the name of what they watch",
      [
        '2:15: error: redis.url: must be sentinels and the name of their primary, such as redis+sentinel://host:26379,host2:26379/mymaster/0, not "redis+sentinel://***@a,b"',
      ],
      `${ops}redis: { url: "redis+sentinel://:secret@a,b" }\n`,
    ],
    [
      "no certificate checks",
      [
        "2:54: warning: metrics.tls.insecureSkipVerify: accepts any certificate: whoever is between can read and change all",
      ],
      `${ops}metrics: { url: http://h, tls: { insecureSkipVerify: true } }\n`,
    ],
    [
      "credentials for whom",
      [
        "7:7: warning: delivery.endpoints[0]: has headers, tls, for policies of the directory only; say tenants: true to use them for policies of control planes too, or tenants: false",
        "13:18: error: delivery.endpoints[3].urlPrefix: must not have an encoded slash, backslash or dot (%2f, %5c, %2e) in its path: no endpoint would match it",
      ],
      `${ops}metrics: { url: http://h, tenantLabel: project }
controlPlane:
  { kubeconfig: telemetryd.yaml, projects: [a] }
delivery:
  endpoints:
    - urlPrefix: https://a/
      headers: { x-api-key: key }
      tls: { serverName: a }
    - { urlPrefix: https://b/, tenants: false, headers: { x-api-key: key } }
    - urlPrefix: https://c/
      dropLabels: [pod]
    - urlPrefix: https://d/tenants%2Fweb
`,
    ],
    [
      "a queue for one, an api of nothing",
      [
        "1:5: error: api: needs the section roadmap: it has nothing else to serve",
        "2:21: warning: export.schedule: shares cycles with nobody without the section redis: each replica has its own",
      ],
      "api:\nexport: { schedule: queue }\n",
    ],
    [
      "the environment",
      [
        'environment TELEMETRYD_METRICS_INTERVAL: error: metrics.interval: must be a duration such as 250ms, 5s, 1m30s or 24h, not "fast"',
        'environment TELEMETRYD_METRICS_INTERVALL: warning: does not match any configuration key (did you mean "TELEMETRYD_METRICS_INTERVAL"?); ignored',
      ],
      ops + metrics,
      [],
      {
        TELEMETRYD_METRICS_INTERVAL: "fast",
        TELEMETRYD_METRICS_INTERVALL: "5s",
        TELEMETRYD_SERVICE_HOST: "10.0.0.1",
      },
    ],
    [
      "flags",
      [
        "--set delivery.endpoints: error: can only be set in the file",
        "--set metrics: error: must be KEY=VALUE, for example metrics.interval=5s",
        '--set metrics.interval: error: metrics.interval: must be a duration such as 250ms, 5s, 1m30s or 24h, not "fast"',
        '--set metrics.intervall: error: is not a key (did you mean "metrics.interval"?)',
      ],
      ops + metrics,
      ["metrics.interval=fast", "metrics.intervall=5s", "delivery.endpoints=x", "metrics"],
    ],
  ])("%s", async (_name, expected, text, flags = [], environment = {}) => {
    const { config, faults } = await checkConfig(
      text,
      { file: "telemetryd.yaml", flags, environment },
      onlyItself,
    );
    expect(faults.map((fault) => printFault(fault).replace(/^telemetryd\.yaml:/, ""))).toEqual(expected);
    expect(config === undefined).toBe(faults.some((fault) => fault.severity === "error"));
  });
});

test("whatever is in the file, it gets faults, never with an exception", async () => {
  const names = configKeys.flatMap((key) => key.name.split(/\.|\[\]\.?/)).filter((name) => name !== "");
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, "", 0, -1, 1.5, true, "5s", "64KiB", "http://h", "now", "acme", ":1"),
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom(...names, "__proto__", "odd"), tie("value"), { maxKeys: 5 }),
    ),
  })).value;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), tree), async (value) => {
      const { faults } = await checkConfig(stringify(value), { file: "telemetryd.yaml" }, onlyItself);
      for (const fault of faults) expect(fault.message).not.toBe("");
    }),
    { numRuns: 300 },
  );
});
