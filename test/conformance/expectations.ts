/**
 * What the Gateway API's conformance suite says of the platform, for each test of its profile GATEWAY-HTTP.
 * `npm run prove -- conformance` holds the platform to it, and a unit test docs/http-proxies.md.
 */

import { fileURLToPath } from "node:url";

/** The suite's version. */
export const version = "v1.6.3";

/** Features beyond those that every implementation has (Gateway API: extended) which the platform has. */
export const features: readonly string[] = [
  "GatewayHTTPListenerIsolation",
  "GatewayHTTPSListenerDetectMisdirectedRequests",
  "HTTPRoute303RedirectStatusCode",
  "HTTPRoute307RedirectStatusCode",
  "HTTPRoute308RedirectStatusCode",
  "HTTPRouteBackendProtocolWebSocket",
  "HTTPRouteBackendRequestHeaderModification",
  "HTTPRouteBackendTimeout",
  "HTTPRouteCORS",
  "HTTPRouteDestinationPortMatching",
  "HTTPRouteHostRewrite",
  "HTTPRouteMethodMatching",
  "HTTPRouteNamedRouteRule",
  "HTTPRouteParentRefPort",
  "HTTPRoutePathRedirect",
  "HTTPRoutePathRewrite",
  "HTTPRoutePortRedirect",
  "HTTPRouteQueryParamMatching",
  "HTTPRouteRequestMirror",
  "HTTPRouteRequestMultipleMirrors",
  "HTTPRouteRequestPercentageMirror",
  "HTTPRouteRequestTimeout",
  "HTTPRouteResponseHeaderModification",
  "HTTPRouteRetry",
  "HTTPRouteSchemeRedirect",
];

/** Tests that pass as they are. */
export const passing: readonly string[] = [
  "GatewayInvalidRouteKind",
  "GatewayInvalidTLSConfiguration",
  "GatewayListenerUnsupportedProtocol",
  "GatewayModifyListeners",
  "GatewayObservedGenerationBump",
  "GatewaySecretInvalidReferenceGrant",
  "GatewaySecretMissingReferenceGrant",
  "GatewaySecretReferenceGrantAllInNamespace",
  "GatewaySecretReferenceGrantSpecific",
  "GatewayWithAttachedRoutes",
  "HTTPRoute303Redirect",
  "HTTPRoute307Redirect",
  "HTTPRoute308Redirect",
  "HTTPRouteBackendProtocolWebSocket",
  "HTTPRouteBackendRequestHeaderModifier",
  "HTTPRouteCORS",
  "HTTPRouteCrossNamespace",
  "HTTPRouteExactPathMatching",
  "HTTPRouteHeaderMatching",
  "HTTPRouteHostnameIntersection",
  "HTTPRouteInvalidBackendRefUnknownKind",
  "HTTPRouteInvalidCrossNamespaceBackendRef",
  "HTTPRouteInvalidCrossNamespaceParentRef",
  "HTTPRouteInvalidNonExistentBackendRef",
  "HTTPRouteInvalidParentRefNotMatchingListenerPort",
  "HTTPRouteInvalidParentRefNotMatchingSectionName",
  "HTTPRouteInvalidParentRefSectionNameNotMatchingPort",
  "HTTPRouteInvalidReferenceGrant",
  "HTTPRouteListenerHostnameMatching",
  "HTTPRouteMatching",
  "HTTPRouteMatchingAcrossRoutes",
  "HTTPRouteMethodMatching",
  "HTTPRouteMultipleGateways",
  "HTTPRouteNamedRule",
  "HTTPRouteNoBackendRefs",
  "HTTPRouteObservedGenerationBump",
  "HTTPRoutePartiallyInvalidViaInvalidReferenceGrant",
  "HTTPRoutePathMatchOrder",
  "HTTPRouteQueryParamMatching",
  "HTTPRouteRedirectHostAndStatus",
  "HTTPRouteRedirectPath",
  "HTTPRouteRedirectPort",
  "HTTPRouteRedirectScheme",
  "HTTPRouteReferenceGrant",
  "HTTPRouteRequestHeaderModifier",
  "HTTPRouteRequestHeaderModifierBackendWeights",
  "HTTPRouteRequestMirror",
  "HTTPRouteRequestMultipleMirrors",
  "HTTPRouteRequestPercentageMirror",
  "HTTPRouteResponseHeaderModifier",
  "HTTPRouteRetry",
  "HTTPRouteRewriteHost",
  "HTTPRouteRewritePath",
  "HTTPRouteSimpleSameNamespace",
  "HTTPRouteTimeoutBackendRequest",
  "HTTPRouteTimeoutRequest",
  "HTTPRouteWeight",
];

interface Group {
  readonly tests: readonly string[];
  /** As the document has it. */
  readonly reason: string;
}

/** Tests that fail. */
export const failing: readonly Group[] = [
  {
    tests: ["GatewayClassObservedGenerationBump"],
    reason: "creates a GatewayClass: there is one, and it can only be read",
  },
  {
    tests: ["GatewayHTTPListenerIsolation"],
    reason:
      "has two Gateways with the same hostnames at once: one of them has each, since all share an address",
  },
  {
    tests: ["HTTPRouteHTTPSListener", "HTTPRouteHTTPSListenerDetectMisdirectedRequests"],
    reason:
      "ask for a hostname that no listener and no route names: with one address for all, it is no Gateway's",
  },
  {
    tests: ["HTTPRouteListenerPortMatching"],
    reason: "needs listeners on other ports than 80 and 443",
  },
  {
    tests: ["HTTPRouteServiceTypes"],
    reason: "needs Services, with several EndpointSlices each",
  },
];

/** Tests that are not run, since they need features that are not there. */
export const unsupported: readonly (Group & { readonly features: readonly string[] })[] = [
  {
    features: ["BackendTLSPolicy", "BackendTLSPolicySANValidation", "GatewayBackendClientCertificate"],
    tests: [
      "BackendTLSPolicy",
      "BackendTLSPolicyConflictResolution",
      "BackendTLSPolicyInvalidCACertificateRef",
      "BackendTLSPolicyInvalidKind",
      "BackendTLSPolicyObservedGenerationBump",
      "BackendTLSPolicySANValidation",
      "GatewayInvalidTLSBackendConfiguration",
      "GatewayTLSBackendClientCertificate",
    ],
    reason: "certificates of backends are verified by their names, and by the operator's authorities",
  },
  {
    features: ["GatewayAddressEmpty", "GatewayStaticAddresses"],
    tests: ["GatewayOptionalAddressValue", "GatewayStaticAddresses"],
    reason: "the platform assigns addresses",
  },
  {
    features: [
      "GatewayFrontendClientCertificateValidation",
      "GatewayFrontendClientCertificateValidationInsecureFallback",
    ],
    tests: [
      "GatewayFrontendClientCertificateValidation",
      "GatewayFrontendClientCertificateValidationInsecureFallback",
      "GatewayFrontendInvalidDefaultClientCertificateValidation",
      "GatewayInvalidFrontendClientCertificateValidation",
    ],
    reason: "certificates of clients are not asked for",
  },
  {
    features: ["GatewayInfrastructure"],
    tests: ["GatewayInfrastructureMetadata", "GatewayInvalidParametersRef"],
    reason: "no object of the project stands for the gateway's process",
  },
  {
    features: ["GatewayPort8080"],
    tests: ["GatewayWithAttachedRoutesWithPort8080", "HTTPRouteRedirectPortAndScheme"],
    reason: "listeners have port 80 or 443",
  },
  {
    features: ["HTTPRouteBackendProtocolH2C"],
    tests: ["HTTPRouteBackendProtocolH2C"],
    reason: "backends get HTTP/1.1",
  },
  {
    features: ["ListenerSet"],
    tests: [
      "ListenerSetAllowedNamespaceNone",
      "ListenerSetAllowedNamespaceSame",
      "ListenerSetAllowedNamespaceSelector",
      "ListenerSetAllowedRoutesNamespaces",
      "ListenerSetDefaultNotAllowed",
      "ListenerSetDualParentRefIndependence",
      "ListenerSetGatewayParentSectionNameNotFound",
      "ListenerSetHTTPRouting",
      "ListenerSetHostnameConflict",
      "ListenerSetProtocolConflict",
      "ListenerSetReferenceGrant",
      "ListenerSetRouteStatusScopedToParentRef",
    ],
    reason: "the kind is not served",
  },
];

export type Outcome = "passed" | "failed" | "unsupported";

/** How each test is expected to end. */
export const expected: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ...passing.map((test): [string, Outcome] => [test, "passed"]),
  ...failing.flatMap(({ tests }) => tests.map((test): [string, Outcome] => [test, "failed"])),
  ...unsupported.flatMap(({ tests }) => tests.map((test): [string, Outcome] => [test, "unsupported"])),
]);

const named = (tests: readonly string[]): string => tests.map((test) => `\`${test}\``).join(", ");

/** The words of a text in lines as wide as those of documents. */
function wrapped(text: string): string {
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 110) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/** The file of a document, and where in it the tests and their results are. */
export const documentFile = fileURLToPath(new URL("../../docs/http-proxies.md", import.meta.url));
export const inDocument = /^These \d+ tests of .*?(?=^## )/ms;

/** The tests and their results, as the document has them. */
export function conformanceText(): string {
  const row = (tests: readonly string[], reason: string) => `| ${named(tests)} | ${reason} |`;
  return [
    wrapped(`These ${passing.length} tests of ${version} pass: ${named(passing)}.`),
    "",
    "| these do not | reason |",
    "| --- | --- |",
    ...failing.map(({ tests, reason }) => row(tests, reason)),
    ...unsupported.map(({ tests, reason }) => row(tests, `not run: ${reason}`)),
    "",
    "",
  ].join("\n");
}
