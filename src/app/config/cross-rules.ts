import { type DocumentPath, valueAt } from "../../base/documents/yaml/document-path.ts";
import { configKeys } from "./keys.ts";
import { deliveryRules } from "./sections/delivery.ts";
import { gatewayRules } from "./sections/gateway.ts";
import { metricsRules } from "./sections/metrics.ts";
import { controlPlaneRules } from "./sections/policies.ts";
import { providerRules } from "./sections/provider.ts";
import { roadmapRules } from "./sections/roadmap.ts";
import { entriesAt, error, given, type Root, type RuleFault, warning } from "./sections/rules.ts";

/** Rules across keys: those of each section stand beside it, those of several sections here. */
export function crossRules(root: Root): RuleFault[] {
  return [
    ...metricsRules(root),
    ...controlPlaneRules(root),
    ...providerRules(root),
    ...deliveryRules(root),
    ...roadmapRules(root),
    ...gatewayRules(root),
    ...tlsPairs(root),
    ...listenRules(root),
    ...doubtful(root),
  ];
}

/** Where the file says how to connect to a server with TLS. */
function clientTls(root: Root): DocumentPath[] {
  const endpoints = entriesAt(root, ["delivery", "endpoints"]);
  return [["metrics", "tls"], ...endpoints.map((_, index) => ["delivery", "endpoints", index, "tls"])];
}

function tlsPairs(root: Root): RuleFault[] {
  const places: DocumentPath[] = [["platform", "tls"], ["gateway", "tls"], ...clientTls(root)];
  return places.flatMap((place) => {
    const [certificate, key] = [given(root, [...place, "certFile"]), given(root, [...place, "keyFile"])];
    if (certificate === key) return [];
    return [
      error(
        place,
        `needs ${certificate ? "keyFile" : "certFile"} too: a certificate and its key go together`,
      ),
    ];
  });
}

function listenRules(root: Root): RuleFault[] {
  const taken = new Map<string, string>();
  const faults: RuleFault[] = [];
  for (const { name, schema } of configKeys.filter((key) => /^\w+\.(listen|tlsListen)$/.test(key.name))) {
    const [section = "", key = ""] = name.split(".");
    if (!given(root, [section])) continue;
    const address = valueAt(root, [section, key]) ?? schema.default;
    if (typeof address !== "string" || address.endsWith(":0")) continue;
    const other = taken.get(address);
    if (other === undefined) taken.set(address, name);
    else faults.push(error([section, key], `is the address of ${other} too; each needs its own`));
  }
  return faults;
}

function doubtful(root: Root): RuleFault[] {
  const faults: RuleFault[] = [];
  const running = ["policies", "controlPlane", "roadmap", "api", "ops", "platform"];
  if (!running.some((section) => given(root, [section]))) {
    faults.push(warning([], `has none of the sections ${running.join(", ")}: nothing would run`));
  }
  if (valueAt(root, ["export", "schedule"]) === "queue" && !given(root, ["redis"])) {
    faults.push(
      warning(
        ["export", "schedule"],
        "shares cycles with nobody without the section redis: each replica has its own",
      ),
    );
  }
  for (const place of clientTls(root)) {
    const path = [...place, "insecureSkipVerify"];
    if (valueAt(root, path) === true)
      faults.push(warning(path, "accepts any certificate: whoever is between can read and change all"));
  }
  return faults;
}
