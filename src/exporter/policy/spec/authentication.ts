import { z } from "zod";
import { defined } from "../../../base/core/defined.ts";
import { oneOf, reportIssue, show } from "../../../base/documents/schema-issue.ts";
import { oneKind, policyLimits, rules, secretKeyRef, secretName, text, urlField } from "./schema-fields.ts";
import { type AuthenticationSpec, azureClouds, type SecretKey } from "./types.ts";

/** A sink's `authentication`: the schema of each kind, and its meaning. */

const wholeSecret = z.object({ name: secretName });

const basicAuth = z
  .object({
    secretRef: wholeSecret.meta({
      description: "A Secret of type kubernetes.io/basic-auth in the policy's namespace",
    }),
  })
  .meta({ description: "HTTP basic authentication" });

const bearer = z
  .object({ secretRef: secretKeyRef("The token", "token") })
  .meta({ description: "A bearer token (RFC 6750)" });

const ofTokenRequest = ["grant_type", "client_id", "client_secret", "scope"];

const oauth2 = z
  .object({
    clientId: text(policyLimits.idLength).meta({ description: "ID of the client" }),
    secretRef: secretKeyRef("The client's secret", "clientSecret"),
    tokenURL: urlField("Token endpoint: an absolute http or https URL"),
    scopes: z
      .array(z.string().min(1).max(policyLimits.idLength))
      .max(policyLimits.scopes)
      .meta({ description: "Scopes of the token", "x-kubernetes-list-type": "atomic" })
      .prefault([]),
    endpointParams: z
      .record(z.string(), z.string().max(policyLimits.endpointLength))
      .meta({
        description: "Further parameters of the token request",
        maxProperties: policyLimits.endpointParams,
        ...rules([
          ofTokenRequest.map((name) => `!('${name}' in self)`).join(" && "),
          `must not have ${oneOf(ofTokenRequest)}; telemetryd sets these`,
        ]),
      })
      .superRefine((params, context) => {
        const names = Object.keys(params);
        if (names.length > policyLimits.endpointParams) {
          reportIssue(
            context,
            `must have at most ${policyLimits.endpointParams} members, not ${names.length}`,
          );
        }
        for (const name of names.filter((each) => ofTokenRequest.includes(each))) {
          reportIssue(context, "must not be set here; telemetryd sets it", { path: [name] });
        }
      })
      .prefault({}),
  })
  .meta({ description: "OAuth 2.0 client credentials (RFC 6749, section 4.4)" });

/** Regions and services are parts of host names and of the signature's scope. */
const awsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const roleArn = /^arn:[a-z0-9-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/;

const sigv4 = z
  .object({
    region: matching(awsName, "a region such as eu-central-1").meta({ description: "AWS region" }),
    service: matching(awsName, "a service such as aps")
      .meta({ description: "Signed service" })
      .prefault("aps"),
    secretRef: wholeSecret
      .meta({
        description:
          "A Secret with accessKey and secretKey in the policy's namespace; absent: the environment's credentials, where the operator allows that",
      })
      .optional(),
    roleArn: matching(roleArn, "a role such as arn:aws:iam::123456789012:role/writer")
      .meta({ description: "A role that is assumed first" })
      .optional(),
  })
  .meta({ description: "AWS Signature Version 4" });

/** IDs become parts of a URL. */
const azureId = /^[A-Za-z0-9][-.A-Za-z0-9]*$/;

const azureAd = z
  .object({
    cloud: z
      .enum(azureClouds)
      .meta({ description: "The cloud of the tenant", maxLength: 16 })
      .prefault("AzurePublic"),
    tenantId: matching(azureId, "a tenant's ID")
      .meta({ description: "ID of the tenant in Microsoft Entra ID" })
      .optional(),
    clientId: matching(azureId, "an application's ID")
      .meta({ description: "ID of the application in Microsoft Entra ID" })
      .optional(),
    secretRef: secretKeyRef(
      "The client's secret; absent: the environment's workload identity, where the operator allows that",
      "clientSecret",
    ).optional(),
  })
  .superRefine((value, context) => {
    if (value.secretRef === undefined) return;
    for (const field of ["tenantId", "clientId"] as const) {
      if (value[field] !== undefined) continue;
      reportIssue(context, "is required beside secretRef", { reason: "FieldValueRequired", path: [field] });
    }
  })
  .meta({
    description: "Microsoft Entra ID, for Azure Monitor",
    ...rules([
      "!has(self.secretRef) || (has(self.tenantId) && has(self.clientId))",
      "tenantId and clientId are required beside secretRef",
    ]),
  });

const google = z
  .object({
    secretRef: secretKeyRef(
      "A service account's key, JSON; absent: the environment's credentials, where the operator allows that",
      "key.json",
    ).optional(),
  })
  .meta({ description: "A Google service account, for Managed Service for Prometheus" });

function matching(pattern: RegExp, wanted: string) {
  return text(policyLimits.idLength)
    .meta({ pattern: pattern.source })
    .superRefine((value, context) => {
      if (value === "" || pattern.test(value)) return;
      reportIssue(context, `must be ${wanted}, not ${show(value)}`);
    });
}

const kinds = { basicAuth, bearer, oauth2, sigv4, azureAd, google };

export const authenticationKinds: readonly string[] = Object.keys(kinds);

/** Exactly one kind: choice.ts counts them. */
export const authentication = z
  .object(kinds)
  .partial()
  .meta({
    description: "Authentication at the receiver; exactly one kind",
    ...oneKind,
    ...rules([
      authenticationKinds.map((kind) => `has(self.${kind})`).join(" || "),
      `must have one of ${oneOf(authenticationKinds)}`,
    ]),
  });

export function authenticationSpec(
  value: z.output<typeof authentication> | undefined,
): AuthenticationSpec | undefined {
  if (value?.basicAuth) return { kind: "basicAuth", secret: value.basicAuth.secretRef.name };
  if (value?.bearer) return { kind: "bearer", token: secretKeyOf(value.bearer.secretRef) };
  if (value?.oauth2) {
    const { secretRef, tokenURL, clientId, scopes, endpointParams } = value.oauth2;
    const clientSecret = secretKeyOf(secretRef);
    return { kind: "oauth2", clientSecret, tokenUrl: tokenURL, clientId, scopes, endpointParams };
  }
  if (value?.sigv4) {
    const { region, service, secretRef, roleArn } = value.sigv4;
    return { kind: "sigv4", region, service, ...defined({ secret: secretRef?.name, roleArn }) };
  }
  if (value?.azureAd) {
    const { cloud, tenantId, clientId, secretRef } = value.azureAd;
    const clientSecret = secretRef && secretKeyOf(secretRef);
    return { kind: "azureAd", cloud, ...defined({ tenantId, clientId, clientSecret }) };
  }
  if (value?.google === undefined) return undefined;
  return {
    kind: "google",
    ...defined({ key: value.google.secretRef && secretKeyOf(value.google.secretRef) }),
  };
}

export function secretKeyOf({ name, key }: { readonly name: string; readonly key: string }): SecretKey {
  return { secret: name, key };
}
