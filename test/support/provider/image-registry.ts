import { execFile as execFileWith } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RunningEngine } from "./engine.ts";

const execFile = promisify(execFileWith);

/** A registry of one image, whose manifest and blobs are in a folder; asks for Basic credentials. */
export interface ImageRegistry extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** Requests with the right credentials. */
  readonly admitted: number;
  /** Where the image is; until then there is none. */
  show(folder: string): void;
}

/** Makes a folder for the registry of an image that an engine has. */
export async function writeImage({ cli }: RunningEngine, image: string, folder: string): Promise<void> {
  const saved = join(folder, "saved");
  await mkdir(saved, { recursive: true });
  await cli("save", "--output", `${saved}.tar`, image);
  await execFile("tar", ["-C", saved, "-xf", `${saved}.tar`]);
  const [{ Config, Layers }] = JSON.parse(await readFile(join(saved, "manifest.json"), "utf8"));
  const blob = async (mediaType: string, file: string) => {
    const content = await readFile(join(saved, file));
    const hash = createHash("sha256").update(content).digest("hex");
    await writeFile(join(folder, hash), content);
    return { mediaType, size: content.length, digest: `sha256:${hash}` };
  };
  const type = "application/vnd.oci.image";
  const layers: object[] = [];
  for (const layer of Layers) layers.push(await blob(`${type}.layer.v1.tar`, layer));
  const config = await blob(`${type}.config.v1+json`, Config);
  const manifest = { schemaVersion: 2, mediaType: `${type}.manifest.v1+json`, config, layers };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
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
