import { AddressRange, parseAddress } from "./address-range.ts";
import { withoutBrackets } from "./host.ts";

/**
 * Whether an endpoint bypasses its proxy, by the `NO_PROXY` rules that curl, Go and others share: a list of
 * host names (including their subdomains; a leading dot or `*.` means the same), addresses and ranges, each
 * with an optional port; `*` matches everything.
 *
 * @param list comma-separated, such as `localhost,.internal,10.0.0.0/8,metrics.example.com:8080`
 */
export function bypassesProxy(url: URL, list: string): boolean {
  const host = withoutBrackets(url.hostname).toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.some((entry) => matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const address = parseAddress(host);
  const range = rangeOf(entry);
  if (range !== undefined) return address !== undefined && range.contains(address);
  const [, pattern = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const single = rangeOf(withoutBrackets(pattern));
  if (single !== undefined) return address !== undefined && single.contains(address);
  const name = pattern.replace(/^\*?\./, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function rangeOf(text: string): AddressRange | undefined {
  if (!text.includes("/") && parseAddress(text) === undefined) return undefined;
  try {
    return new AddressRange(text);
  } catch {
    return undefined;
  }
}
