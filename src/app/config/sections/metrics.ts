import { z } from "zod";
import {
  choice,
  duration,
  flag,
  httpUrl,
  integer,
  optionalFile,
  optionalText,
  requiredPath,
  requiredText,
  textMap,
} from "../fields.ts";
import { headerProblem, labelNameProblem } from "../values.ts";
import { tls } from "./tls.ts";

export const metrics = z
  .strictObject({
    url: httpUrl(
      "The metrics store (VictoriaMetrics or Prometheus); a path prefix such as /select/0/prometheus is kept",
    ),
    flavor: choice(
      "What the store is; auto finds out, again after a reconnect",
      ["auto", "victoriametrics", "prometheus"],
      "auto",
    ),
    interval: duration("How often a sink looks for new samples", "15s", { min: "100ms", max: "1h" }),
    delay: duration("How far windows of raw samples stay behind now", "30s", { min: "0s", max: "1h" }),
    expressionDelay: duration("The same for expressions", "60s", { min: "0s", max: "1h" }),
    exemplars: flag(
      "Export the exemplars of a Prometheus (--enable-feature=exemplar-storage) with the samples of their series",
    ),
    concurrency: integer("Open reads of the store, at most", 2, 1, 64),
    basicAuth: z
      .strictObject({
        username: requiredText("User name for the store"),
        passwordFile: requiredPath("Password for the store", "file"),
      })
      .meta({ description: "Basic authentication at the store" })
      .optional(),
    bearerTokenFile: optionalFile("Bearer token for the store"),
    headers: textMap("Further request headers for the store", headerProblem),
    tls: tls("TLS to the store").prefault({}),
    tenantLabel: optionalText(
      'Label that holds the project\'s name, forced on every query of a project; "" forces none. Must be given where controlPlane is',
      labelNameProblem,
    ),
  })
  .meta({ description: "The metrics store that samples are read from" });
