import { describeError } from "../../../base/core/errors.ts";
import type { ProxyError } from "../../../base/http/tunnel.ts";

/** One line for the operator: the failure, its cause, and the remedy, without credentials. */
export function describeProxyError(error: ProxyError): string {
  const remedy = remedyOf(error);
  return remedy === undefined ? describeError(error) : `${describeError(error)}; ${remedy}`;
}

function remedyOf({ stage, status }: ProxyError): string | undefined {
  switch (stage) {
    case "connecting":
      return "check delivery.endpoints[].proxyUrl, and that the proxy runs";
    case "asking":
      return "check that delivery.endpoints[].proxyUrl names an HTTP proxy, with http or https as it expects";
    case "refusal":
      return remedyOfRefusal(status);
    case "securing":
      return undefined;
  }
}

function remedyOfRefusal(status: number | undefined): string {
  switch (status) {
    case 407:
      return "the proxy wants other credentials than delivery.endpoints[].proxyUrl has; correct them";
    case 400:
    case 404:
    case 405:
    case 501:
      return "it may be no proxy, or not allow CONNECT; check delivery.endpoints[].proxyUrl and its rules";
    case 401:
    case 403:
      return "permit tunnels to the receiver's host and port in its rules";
    default:
      return "the proxy cannot reach the receiver or is overloaded; its log has the reason";
  }
}
