import { word } from "./quote.ts";

/**
 * No section of HAProxy's hands a request to another one: it goes through a socket of HAProxy's own, with the
 * section's name in a header.
 */

/** Whatever a client has in it is replaced, and it is removed before a backend sees it. */
export const sectionHeader = "x-telemetryd-section";

/** What sections of this kind do first. */
export const innerLines = [`http-request del-header ${sectionHeader}`] as const;

/** Lines of the socket's frontend. @param unknown section for what is for none that this worker has */
export function innerFrontend(socket: string, connections: number, unknown: string): string[] {
  return [
    `bind ${word(`unix@${socket}`)} mode 600`,
    `maxconn ${connections}`,
    // The other end closes first: a connection that ends under a request is an error to a client.
    "timeout client 1h",
    "timeout http-keep-alive 1h",
    `use_backend %[req.hdr(${sectionHeader})]`,
    `default_backend ${unknown}`,
  ];
}

/**
 * Condition of what leaves a section through the socket: the socket is the new worker's, where a section of
 * the same name may be another rule's.
 */
export const unlessLeaving = "!{ stopping }";
