import { z } from "zod";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { projectNameProblem } from "../../../exporter/policy/plane.ts";
import { list, optionalFile, optionalText, requiredPath, requiredText } from "./fields.ts";
import { ownTenants } from "./metrics.ts";
import { error, given, type Root, type RuleFault } from "./rules.ts";
import { nameProblem, urlProblem } from "./values.ts";

export const policies = z
  .strictObject({
    directory: requiredPath(
      "Directory of *.yaml and *.json files with ExportPolicy and Secret documents; watched",
      "directory",
    ),
  })
  .meta({ description: "Policies from a directory" });

export const controlPlane = z
  .strictObject({
    apiUrl: optionalText("The platform's API address", (text) => urlProblem(text, ["http:", "https:"])),
    groupDomain: requiredText("The API group is telemetry.<groupDomain>", nameProblem).prefault(
      "platformapis",
    ),
    organization: optionalText("Every project of this organization", nameProblem),
    projects: list("These projects, instead of an organization", requiredText("A project", nameProblem), []),
    accessTokenFile: optionalFile("The Personal Access Token, exchanged for a bearer token"),
    caFile: optionalFile("CA certificates (PEM) for the API, besides the system's"),
    kubeconfig: optionalFile(
      "Instead of apiUrl and token: a kubeconfig of any Kubernetes API server that holds the CRD",
    ),
  })
  .meta({ description: "The control planes that policies come from, and that the provider serves" });

export function controlPlaneRules(root: Root): RuleFault[] {
  const plane = root["controlPlane"];
  if (!isObject(plane)) return [];
  const faults: RuleFault[] = [];
  const has = (key: string) => given(root, ["controlPlane", key]);
  const named: readonly unknown[] = Array.isArray(plane["projects"]) ? plane["projects"] : [];
  const projects = named.length;
  const at = (key: string): DocumentPath => ["controlPlane", key];
  for (const [index, project] of named.entries()) {
    const problem = projectNameProblem(String(project));
    if (problem !== undefined) faults.push(error([...at("projects"), index], problem));
  }
  if (has("kubeconfig")) {
    for (const key of ["apiUrl", "organization", "accessTokenFile", "caFile"]) {
      if (has(key))
        faults.push(error(at(key), "cannot be given together with controlPlane.kubeconfig; keep one"));
    }
    if (projects > 1) {
      faults.push(
        error(at("projects"), "must name one project with controlPlane.kubeconfig: the one that it reaches"),
      );
    }
    if ((given(root, ["metrics", "tenantLabel"]) || ownTenants(root) !== undefined) && projects === 0) {
      const reason = ownTenants(root) === undefined ? "metrics.tenantLabel is forced" : "it has a tenant";
      faults.push(
        error(at("projects"), `must name the project that the kubeconfig reaches, since ${reason}`),
      );
    }
  } else {
    if (!has("apiUrl")) faults.push(error(["controlPlane"], "needs apiUrl or kubeconfig"));
    if (has("apiUrl") && !has("accessTokenFile")) {
      faults.push(error(["controlPlane"], "needs accessTokenFile: the file of the Personal Access Token"));
    }
    if (has("organization") && projects > 0) {
      faults.push(error(at("projects"), "cannot be given together with controlPlane.organization; keep one"));
    }
    if (has("apiUrl") && !has("organization") && projects === 0) {
      faults.push(error(["controlPlane"], "needs organization (all of its projects) or projects"));
    }
  }
  if (ownTenants(root) !== undefined) {
    if (valueAt(root, ["metrics", "tenants"]) === "annotation" && !has("organization")) {
      const message =
        "needs controlPlane.organization: the annotation is read from the organization's Projects; give name, or a file of project: tenant";
      faults.push(error(["metrics", "tenants"], message));
    }
  } else if (isObject(root["metrics"]) && root["metrics"]["tenantLabel"] === undefined) {
    const message =
      'needs tenantLabel, since controlPlane is present: the label that holds the project\'s name, or "" where the store holds the samples of one tenant only';
    faults.push(error(["metrics"], message));
  }
  return faults;
}
