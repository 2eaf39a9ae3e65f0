import { TelemetrydError } from "../../../base/core/errors.ts";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import type { CheckedManifest } from "../../../exporter/policy/spec/manifest.ts";
import { seriesEncoderFor } from "../../../exporter/remote-write/encoding/labels.ts";
import { WriteRequestV2Builder } from "../../../exporter/remote-write/encoding/write-request-v2.ts";
import {
  type EndpointSettings,
  settingsFor,
} from "../../../exporter/remote-write/endpoint/endpoint-settings.ts";
import type { Label } from "../../../exporter/series/series.ts";
import { type Example, relabelled } from "../relabelled.ts";
import { printable } from "../table.ts";

/** What one series becomes at one sink. */
export interface RelabelTest extends Example {
  /** `namespace/policy` */
  readonly policy: string;
  readonly sink: string;
}

/**
 * The labels of a series written as a selector: `up{job="web"}`.
 *
 * @throws INVALID_ARGUMENT
 */
export function parseSeries(text: string): readonly Label[] {
  const wanted = `--relabel-test must be a series such as '{__name__="up",job="web"}'`;
  let groups: readonly (readonly { label: string; op: string; value: string }[])[] = [];
  try {
    const expr = parse(text);
    if (expr.type === "selector") groups = expr.groups;
  } catch (cause) {
    throw new TelemetrydError("INVALID_ARGUMENT", wanted, { cause });
  }
  const [filters = [], ...others] = groups;
  const labels = new Map(filters.map(({ label, value }) => [label, value]));
  const isSeries = filters.every(({ op }) => op === "=") && labels.size === filters.length;
  if (filters.length === 0 || others.length > 0 || !isSeries) {
    throw new TelemetrydError("INVALID_ARGUMENT", `${wanted}, with each label once and "=" only`);
  }
  const list = Array.from(labels, ([name, value]) => ({ name, value })).filter(({ value }) => value !== "");
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param endpoints `delivery.endpoints`, whose labels and rules apply too */
export function relabelTests(
  labels: readonly Label[],
  manifests: readonly CheckedManifest[],
  endpoints: readonly EndpointSettings[],
  tenantLabel: string | undefined,
): readonly RelabelTest[] {
  return manifests.flatMap(({ policies }) =>
    policies.flatMap(({ checked: { ref, sinks } }) =>
      sinks.flatMap(({ sink }) => {
        if (sink === undefined) return [];
        const settings = settingsFor(sink.endpoint, endpoints);
        const encoder = seriesEncoderFor({
          externalLabels: settings?.externalLabels ?? {},
          dropLabels: settings?.dropLabels ?? [],
          names: settings?.names ?? "utf8",
          protocol: "2.0",
          relabel: sink.relabel,
          endpointRelabel: settings?.relabel,
          tenantLabel,
        });
        const target = { encoder: () => encoder, newBuilder: () => new WriteRequestV2Builder() };
        const policy = `${ref.namespace}/${ref.name}`;
        return [{ policy, sink: sink.name, ...relabelled(labels, target) }];
      }),
    ),
  );
}

export function relabelTestText({ policy, sink, sent, problem }: RelabelTest): string {
  return printable(`${policy}/${sink}: ${sent ?? `not sent: ${problem}`}`);
}
