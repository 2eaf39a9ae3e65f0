import ipaddr from "ipaddr.js";
import { type Address, AddressRange, parseAddress } from "../../../base/net/address-range.ts";
import { withoutBrackets } from "../../../base/net/host.ts";
import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { nameFault } from "../../../kube-server/api/metadata.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** Where a backend of an HTTPProxy listens. */
export interface ProxyEndpoint {
  readonly scheme: "http" | "https";
  /** A DNS name or an address, without brackets. */
  readonly host: string;
  readonly hostType: "FQDN" | "IPv4" | "IPv6";
  readonly port: number;
}

/** Parts of a URL (RFC 3986): the scheme in lower case, the others as they are written. */
interface UrlParts {
  readonly scheme: string;
  readonly userinfo: string | undefined;
  readonly host: string;
  readonly port: string | undefined;
  readonly path: string | undefined;
  readonly query: string | undefined;
  readonly fragment: string | undefined;
}

const maxLength = 512;
const urlPattern = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]+)?(?:\?([^#]*))?(?:#(.*))?$/;
const authorityPattern = /^(?:([^@]*)@)?(\[[^\]@]*\]|[^:@[\]]*)(?::(\d*))?$/;

/**
 * Splits a URL by hand: the URL class would rewrite it first, `0x7f.1` to 127.0.0.1 for example.
 *
 * @returns why it is none, if it cannot be split
 */
function splitUrl(text: string): UrlParts | string {
  if (text.length > maxLength) return `it is longer than ${maxLength} characters`;
  if (!/^[\x21-\x7e]*$/.test(text)) return "it has characters that a URL cannot have";
  if (text.startsWith(":")) return "the scheme is missing";
  const [whole, anyCase = "", authority, path, query, fragment] = urlPattern.exec(text) ?? [];
  if (whole === undefined || text.includes("\\")) return "it has characters that a URL cannot have";
  const parts = authorityPattern.exec(authority ?? "");
  if (parts === null) return "the host or the port cannot be read";
  const [, userinfo, host = "", port] = parts;
  return { scheme: anyCase.toLowerCase(), userinfo, host, port, path, query, fragment };
}

/** The endpoint of a URL; undefined unless {@link checkEndpoint} finds no fault. */
export function parseEndpoint(url: string): ProxyEndpoint | undefined {
  const parts = splitUrl(url);
  if (typeof parts === "string" || (parts.scheme !== "http" && parts.scheme !== "https")) return undefined;
  const { scheme, port } = parts;
  const kind = addressOf(parts.host)?.kind();
  return {
    scheme,
    host: withoutBrackets(parts.host),
    hostType: kind === undefined ? "FQDN" : kind === "ipv4" ? "IPv4" : "IPv6",
    port: port === undefined ? (scheme === "https" ? 443 : 80) : Number(port),
  };
}

/**
 * Checks a backend's `endpoint`.
 *
 * @param isAllowed whether the operator allows an address that tenants may not send to otherwise
 */
export function checkEndpoint(
  endpoint: Json | undefined,
  path: string,
  isAllowed: (address: string) => boolean,
  faults: FaultList,
): void {
  if (typeof endpoint !== "string") return;
  const parts = splitUrl(endpoint);
  if (typeof parts === "string") {
    faults.add(invalidValue(path, withoutPassword(endpoint), `invalid endpoint: ${parts}`));
    return;
  }
  const { scheme, userinfo, host, port } = parts;
  if (scheme !== "http" && scheme !== "https") {
    faults.add(unsupportedValue(`${path}[scheme]`, scheme, ["http", "https"]));
    return;
  }
  if (userinfo !== undefined) {
    const [user = ""] = userinfo.split(":");
    const shown = userinfo.includes(":") ? `${user}:redacted` : user;
    faults.add(invalidValue(`${path}[userinfo]`, shown, "endpoint must not have a userinfo component"));
  }
  for (const part of ["path", "query", "fragment"] as const) {
    const text = parts[part];
    if (text === undefined) continue;
    faults.add(invalidValue(`${path}[${part}]`, text, `endpoint must not have a ${part} component`));
  }
  checkHost(host, `${path}[host]`, isAllowed, faults);
  if (port !== undefined && !isPort(port)) {
    faults.add(invalidValue(`${path}[port]`, port, "must be between 1 and 65535, inclusive"));
  }
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function withoutPassword(url: string): string {
  return url.slice(0, maxLength).replace(/:[^:@/]*@/, ":redacted@");
}

function checkHost(
  host: string,
  path: string,
  isAllowed: (address: string) => boolean,
  faults: FaultList,
): void {
  if (host === "") {
    faults.add(requiredValue(path));
    return;
  }
  const address = unmapped(addressOf(host));
  if (address !== undefined) {
    const bare = withoutBrackets(host);
    const range = forbiddenRanges.find(({ ranges }) => ranges.some((each) => each.contains(address)));
    if (range !== undefined && !isAllowed(bare)) faults.add(invalidValue(path, bare, range.why));
    return;
  }
  const fault = nameFaultOf(host);
  if (fault !== undefined) faults.add(invalidValue(path, host, fault));
}

/** The address that a URL's host is: IPv6 in brackets, without a zone, or IPv4. */
function addressOf(host: string): Address | undefined {
  const address = host.includes("%") ? undefined : parseAddress(host);
  return host.startsWith("[") === (address?.kind() === "ipv6") ? address : undefined;
}

/** The IPv4 address that an IPv6 one stands for (`::ffff:127.0.0.1`; RFC 4291, section 2.5.5.2). */
function unmapped(address: Address | undefined): Address | undefined {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Some programs take a name whose last label is a number for an address (WHATWG URL, "ends in a number"). */
function nameFaultOf(host: string): string | undefined {
  if (host.startsWith("[") || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(host)) {
    return "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
  }
  const fault = nameFault(host, "subdomain");
  if (fault !== undefined) return fault;
  return host.includes(".") ? undefined : "should be a domain with at least two segments separated by dots";
}

/** Addresses of no other machine; which others may be sent to is judged when a connection is made. */
const forbiddenRanges = [
  { ranges: ["0.0.0.0"], why: "may not be unspecified (0.0.0.0)" },
  { ranges: ["::"], why: "may not be unspecified (::)" },
  { ranges: ["127.0.0.0/8", "::1"], why: "may not be in the loopback range (127.0.0.0/8, ::1/128)" },
  {
    ranges: ["169.254.0.0/16", "fe80::/10"],
    why: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    ranges: ["224.0.0.0/24", "ff02::/16"],
    why: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
  {
    ranges: ["224.0.0.0/4", "ff00::/8"],
    why: "may not be in the multicast range (224.0.0.0/4, ff00::/8)",
  },
].map(({ ranges, why }) => ({ ranges: ranges.map((each) => new AddressRange(each)), why }));
