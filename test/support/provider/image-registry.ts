import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** A registry of one image, which is in a folder as `podman push … dir:` writes it; asks for Basic credentials. */
export interface ImageRegistry extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** Requests with the right credentials. */
  readonly admitted: number;
  /** Where the image is; until then there is none. */
  show(folder: string): void;
}

export async function startImageRegistry(username: string, password: string): Promise<ImageRegistry> {
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  let folder: string | undefined;
  let admitted = 0;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://registry");
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' });
      response.end(JSON.stringify({ errors: [{ message: `not you: ${request.headers.authorization}` }] }));
      return;
    }
    admitted += 1;
    const [, kind, name] = /\/(manifests|blobs)\/(.*)$/.exec(pathname) ?? [];
    if (pathname === "/v2/") response.end("{}");
    else if (folder === undefined || name === undefined) response.writeHead(404).end("{}");
    else if (kind === "manifests") {
      const manifest = await readFile(join(folder, "manifest.json"));
      response.writeHead(200, { "content-type": "application/vnd.oci.image.manifest.v1+json" }).end(manifest);
    } else createReadStream(join(folder, name.replace("sha256:", ""))).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get admitted() {
      return admitted;
    },
    show(where) {
      folder = where;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
