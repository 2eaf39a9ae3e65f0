import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startChild, waitUntilReady } from "../../scripts/servers/child.ts";
import { findServers } from "../../scripts/servers/find.ts";
import { freePort, isListening } from "../../scripts/servers/free-port.ts";
import type { Certificate } from "../../test/support/net/certificates.ts";

/** A running nginx. */
export interface Nginx extends AsyncDisposable {
  readonly port: number;
  /** 0 without a certificate. */
  readonly tlsPort: number;
  /** Of its master. */
  readonly pid: number;
}

/** Serves files of these sizes from memory as `/<bytes>`. */
export async function startFileServer(sizes: readonly number[]): Promise<Nginx> {
  const { folder, remove } = await temporaryFolder();
  for (const bytes of sizes) await writeFile(join(folder, String(bytes)), Buffer.alloc(bytes, "x"));
  const server = (listen: string) => `server { ${listen} location / { root ${folder}; } }`;
  return await start(folder, remove, server);
}

/** Forwards everything to a port of this machine, over connections that it keeps. */
export async function startPlainProxy(backendPort: number, certificate: Certificate): Promise<Nginx> {
  const { folder, remove } = await temporaryFolder();
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  await writeFile(certFile, certificate.cert);
  await writeFile(keyFile, certificate.key);
  const server = (listen: string) => `
    upstream backend { server 127.0.0.1:${backendPort}; keepalive 128; keepalive_requests 1000000000; }
    server {
      ${listen}
      ssl_certificate ${certFile};
      ssl_certificate_key ${keyFile};
      location / {
        proxy_pass http://backend;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
      }
    }`;
  return await start(folder, remove, server, await freePort());
}

/** A folder in memory, where the system has one. */
async function temporaryFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const make = (parent: string): Promise<string> => mkdtemp(join(parent, "telemetryd-nginx-"));
  const folder = await make("/dev/shm").catch(() => make(tmpdir()));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function start(
  folder: string,
  remove: () => Promise<void>,
  server: (listen: string) => string,
  tlsPort = 0,
): Promise<Nginx> {
  const { nginx } = await findServers(["nginx"]);
  const port = await freePort();
  const tls = tlsPort === 0 ? "" : ` listen 127.0.0.1:${tlsPort} ssl;`;
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const file = join(folder, "nginx.conf");
  await mkdir(join(folder, "temp"));
  await writeFile(
    file,
    [
      // Its workers read the folder, which is its owner's only.
      ...(process.getuid?.() === 0 ? ["user root;"] : []),
      // As many as HAProxy has threads.
      `worker_processes ${availableParallelism()};`,
      `daemon off; pid ${join(folder, "nginx.pid")}; error_log stderr error;`,
      "events { worker_connections 4096; }",
      "http {",
      ...paths.map((path) => `${path}_temp_path ${join(folder, "temp", path)};`),
      "access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000;",
      // No response goes to a disk.
      "proxy_max_temp_file_size 0; open_file_cache max=100;",
      server(`listen 127.0.0.1:${port};${tls}`),
      "}",
    ].join("\n"),
  );
  const child = await startChild({
    ...{ name: "nginx", program: nginx.path, env: nginx.env },
    args: ["-c", file, "-p", folder, "-e", "stderr"],
  });
  await waitUntilReady("nginx", child, () => isListening(port), 10_000, new AbortController().signal);
  return {
    ...{ port, tlsPort, pid: child.pid },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await remove();
    },
  };
}
