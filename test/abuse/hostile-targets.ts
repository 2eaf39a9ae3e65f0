import { policyOf, tenantLabel } from "./scene.ts";

/** Fields of `prometheusRemoteWrite`. */
export type Target = Readonly<Record<string, unknown>>;

interface Policy {
  readonly spec: {
    sinks: { readonly name: string; readonly target: { readonly prometheusRemoteWrite: Target } }[];
  };
}

/** The manifest of a policy with further fields of its target. */
export function policyWith(name: string, metricsql: string, endpoint: string, target: Target): Policy {
  const policy = policyOf(name, metricsql, endpoint, 1) as Policy;
  const sinks = policy.spec.sinks.map((sink) => ({
    ...sink,
    target: { prometheusRemoteWrite: { ...sink.target.prometheusRemoteWrite, ...target } },
  }));
  return { ...policy, spec: { ...policy.spec, sinks } };
}

const header = (name: string, value = "x") => ({ headers: [{ name, value }] });
const rule = (fields: object) => ({ relabel: [{ action: "replace", sourceLabels: ["text"], ...fields }] });

/** What admission must refuse. */
export const refusedTargets: Readonly<Record<string, Target>> = {
  "a line break in a header": header("x-evil", "a\r\nX-Scope-OrgID: web"),
  "a line break in a header's name": header("x-evil: a\r\nX-Scope-OrgID"),
  "a huge header": header("x-evil", "x".repeat(100_000)),
  "many headers": { headers: Array.from({ length: 1_000 }, (_, i) => ({ name: `x-${i}`, value: "x" })) },
  "a hop-by-hop header": header("Transfer-Encoding", "chunked"),
  "another Host": header("hOST", "metadata.internal"),
  "another length": header("Content-Length", "0"),
  "a login as a header": header("Authorization", "Bearer x"),
  "a header twice": {
    headers: [
      { name: "X-Scope-OrgID", value: "a" },
      { name: "x-scope-orgid", value: "web" },
    ],
  },
  "repetitions of repetitions": rule({ regex: "((a?){30}){30}b", action: "drop" }),
  "50 rules of the longest patterns": {
    relabel: Array(50).fill({ action: "drop", sourceLabels: ["text"], regex: ".*a".repeat(341) }),
  },
  "20,000 rules": { relabel: Array(20_000).fill({ action: "labeldrop", regex: "a" }) },
};

/**
 * Rules that write or drop the tenant label. The platform does not know this label: the exporter leaves out sinks
 * that name it, and where the name comes from labels the rules do nothing.
 */
export const forgeries: readonly Target[] = [
  rule({ targetLabel: tenantLabel, replacement: "web" }),
  { relabel: [{ action: "labelmap", regex: "want", replacement: tenantLabel }] },
  {
    relabel: [
      { action: "replace", sourceLabels: ["want"], targetLabel: "$1", replacement: "web" },
      { action: "labelmap", regex: "my_(.*)", replacement: "$1" },
      { action: "labelmap", regex: "(.*)", replacement: `\${1}_` },
      { action: "labeldrop", regex: `${tenantLabel.slice(0, 4)}.*` },
    ],
  },
];
