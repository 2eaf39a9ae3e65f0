import { join } from "node:path";

/** Paths of the files that HAProxy reads and of the sockets that it is asked on. */
export interface GatewayFiles {
  /** The configuration itself. */
  readonly configuration: string;
  /** What is done to requests in Lua. */
  readonly script: string;
  /** Hostnames, and what happens to their requests: a section's name, or an entry of a plain program. */
  readonly hosts: string;
  /** Paths of plain programs that have several, and what happens to their requests. */
  readonly paths: string;
  /** Certificate and key of the hostnames (PEM). */
  readonly certificate: string;
  /** Folder of the programs' own certificates, beside {@link certificate}. */
  readonly certificates: string;
  /** These, with the hostnames for which clients get each. */
  readonly certificateList: string;
  /** Authorities of backends (PEM). */
  readonly authorities: string;
  readonly masterSocket: string;
  readonly workerSocket: string;
  /** Where HAProxy takes requests of its own: of rules with retries, and those for mirrors. */
  readonly innerSocket: string;
}

/** The files of a gateway below the state directory. */
export function gatewayFiles(directory: string, socketDirectory: string): GatewayFiles {
  return {
    configuration: join(directory, "haproxy.cfg"),
    script: join(directory, "requests.lua"),
    hosts: join(directory, "hosts.map"),
    paths: join(directory, "paths.map"),
    certificate: join(directory, "certificate.pem"),
    certificates: join(directory, "certificates"),
    certificateList: join(directory, "certificates.list"),
    authorities: join(directory, "authorities.pem"),
    masterSocket: join(socketDirectory, "master.sock"),
    workerSocket: join(socketDirectory, "worker.sock"),
    innerSocket: join(socketDirectory, "inner.sock"),
  };
}
