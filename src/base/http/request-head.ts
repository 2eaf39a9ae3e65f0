import { validateHeaderName, validateHeaderValue } from "node:http";

/**
 * Request line and header fields (RFC 9112, sections 3 and 5), validated and serialized once for any number
 * of requests. The connection adds the body's length.
 */
export class RequestHead {
  readonly method: "GET" | "POST";
  /** Path and query, encoded. */
  readonly path: string;
  /** Latin-1, without the terminating empty line. */
  readonly text: string;

  /**
   * @param host with the port, unless it is the scheme's default
   * @throws TypeError for headers that cannot be sent; the message omits their values
   */
  constructor(method: "GET" | "POST", host: string, path: string, headers: Readonly<Record<string, string>>) {
    this.method = method;
    this.path = path;
    let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      text += `${name}: ${value}\r\n`;
    }
    this.text = text;
  }
}
