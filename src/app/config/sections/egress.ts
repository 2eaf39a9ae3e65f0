import { z } from "zod";
import { addressRanges, flag, nameServers, nat64Prefixes } from "./fields.ts";

export const egress = z
  .strictObject({
    deny: addressRanges("Addresses that no policy may send to", ["169.254.0.0/16", "fe80::/10"]),
    allow: addressRanges("Addresses that policies of a control plane may send to, private ones included", []),
    trustProxy: flag("Allow proxyUrl, although the receiver's address cannot be checked then"),
    nameServers: nameServers(
      "Name servers for endpoints, address or address:port; empty: those of /etc/resolv.conf",
    ),
    nat64Prefixes: nat64Prefixes(
      "NAT64 prefixes of this network besides 64:ff9b::/96: the IPv4 address inside is checked",
    ),
  })
  .meta({ description: "Where telemetryd may connect to" });
