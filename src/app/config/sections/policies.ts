import { z } from "zod";
import { list, optionalFile, optionalText, requiredPath, requiredText } from "./fields.ts";
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
