import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseUrl } from "../../../base/core/url.ts";
import { oneOf, show } from "../../../base/documents/schema-issue.ts";
import { addressText, parseSpan } from "../../../base/net/address-span.ts";

/** Checks of single values: each returns the problem and what is expected, or undefined. */

export function urlProblem(text: string, protocols: readonly string[]): string | undefined {
  const names = oneOf(protocols.map((protocol) => protocol.slice(0, -1)));
  const url = parseUrl(text);
  if (url === undefined || !protocols.includes(url.protocol)) {
    return `must be an absolute ${names} URL, not ${show(text)}`;
  }
  if (url.username !== "" || url.password !== "") {
    return "must not hold a user name or password; give them in a file";
  }
  if (url.search !== "" || url.hash !== "") return "must not have a query (?) or a fragment (#)";
  return undefined;
}

/** For `delivery.endpoints[].urlPrefix`. */
export function urlPrefixProblem(text: string): string | undefined {
  const problem = urlProblem(text, ["http:", "https:"]);
  if (problem !== undefined || !/%(?:25)*(?:2e|2f|5c)/i.test(new URL(text).pathname)) return problem;
  return "must not have an encoded slash, backslash or dot (%2f, %5c, %2e) in its path: no endpoint would match it";
}

export function addressRangeProblem(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text) || (ipaddr.isValid(text) && !/^\d+$/.test(text))) return undefined;
  return `must be an address range such as 10.0.0.0/8 or fd00::/8, not ${show(text)}`;
}

/** For an address, with or without a port: a host name would itself have to be resolved. */
export function nameServerProblem(text: string): string | undefined {
  const [, six, four = text, port = "53"] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four) !== 0 : isIP(six) === 6;
  if (isAddress && Number(port) >= 1 && Number(port) <= 65_535) return undefined;
  return `must be an address such as 10.0.0.10, 10.0.0.10:53 or [fd00::a]:53, not ${show(text)}`;
}

/** RFC 6052, section 2.2. */
export function nat64PrefixProblem(text: string): string | undefined {
  if (/:.*\/(32|40|48|56|64|96)$/.test(text) && ipaddr.isValidCIDR(text)) return undefined;
  return `must be an IPv6 prefix of 32, 40, 48, 56, 64 or 96 bits such as 2001:db8:64::/96, not ${show(text)}`;
}

export function labelNameProblem(name: string): string | undefined {
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return undefined;
  return "must be a label name: letters, digits and _, not beginning with a digit";
}

/** RFC 1123 label, the form of organizations, projects and group domains. */
export function nameProblem(text: string): string | undefined {
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text) && text.length <= 253)
    return undefined;
  return `must be a name of lower-case letters, digits and -, not ${show(text)}`;
}

/** For `gateway.domain`: a UUID and a dot in front of it make a DNS name still (RFC 1035, section 2.3.4). */
export function domainProblem(text: string): string | undefined {
  const isName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/.test(text);
  // A name whose last label is a number is read as an IPv4 address (WHATWG URL, section 3.5).
  if (isName && text.length <= 200 && !/(^|\.)(\d+|0x[0-9a-f]*)$/.test(text)) return undefined;
  return `must be a DNS name in lower case of at most 200 characters such as proxy.example.com, not ${show(text)}`;
}

/** For `platform.cityCodes`. */
export function cityCodeProblem(text: string): string | undefined {
  if (/^[A-Z0-9]{1,16}$/.test(text)) return undefined;
  return `must be a city code of upper-case letters and digits such as DFW, not ${show(text)}`;
}

/** For `provider.engine.socket`; Linux takes at most 107 bytes. */
export function socketPathProblem(text: string): string | undefined {
  if (text.startsWith("/") && !text.includes("\0") && Buffer.byteLength(text) <= 107) return undefined;
  return `must be the absolute path of a Unix socket, such as /run/podman/podman.sock, not ${show(text)}`;
}

/** For `provider.engine.registries`. */
export function registryProblem(text: string): string | undefined {
  if (/^([a-z0-9-]+(\.[a-z0-9-]+)*|\[[a-f0-9:]+\])(:[0-9]{1,5})?$/.test(text)) return undefined;
  return `must be a host in lower case such as docker.io or registry.example.com:5000, not ${show(text)}`;
}

/** For `provider.engine.externalAddresses`: clients connect to them, so none can stand for all addresses. */
export function machineAddressesProblem(text: string): string | undefined {
  const span = parseSpan(text);
  const isBlock = span !== undefined && text.includes("/");
  if (isBlock && parseSpan(text.replace(/\/.*/, ""))?.first !== span.first) {
    const block = `${addressText(span.family, span.first)}${text.replace(/.*\//, "/")}`;
    return `must be a block without bits after its prefix, such as ${block}, not ${show(text)}`;
  }
  if (span !== undefined && span.first > 0n) return undefined;
  const forms = "203.0.113.10, 2001:db8::10, 203.0.113.16/28 or 203.0.113.10-203.0.113.20";
  return `must be addresses of this machine such as ${forms}, not ${show(text)}`;
}

/** For `provider.engine.vmImages`: engines make one text with commas out of a mount. */
export function imageFileProblem(text: string): string | undefined {
  if (/^(\/[A-Za-z0-9._@+-]+)+$/.test(text)) return undefined;
  const shape = "an absolute path of letters, digits and ._@+-";
  return `must be ${shape}, such as /srv/images/debian-12.qcow2, not ${show(text)}`;
}

/** A host name as browsers send it in Host; any case, without port. */
export function hostNameProblem(text: string): string | undefined {
  if (/^[\w-]+(\.[\w-]+)*$/.test(text) && text.length <= 253) return undefined;
  return `must be a host name without scheme, port or path, such as telemetryd.example.com, not ${show(text)}`;
}
