import { isObject } from "../../../src/base/documents/yaml/document-path.ts";
import type { ApiOutcome, PlaneClient } from "../../../src/platform/client/api/plane-client.ts";

type Json = Record<string, unknown>;

/** A control plane in memory: lists, watches, merge patches with versions, statuses and finalizers. */
export class FakePlane implements PlaneClient {
  /** By path of the object. */
  readonly objects = new Map<string, Json>();
  /** Each write that was taken: the path, with `/status` for a status. */
  readonly writes: { readonly path: string; readonly object: Json }[] = [];
  /** Set to fail every request. */
  isUnavailable = false;
  /** Set to refuse some requests. */
  refuses: (method: string, path: string) => number | undefined = () => undefined;
  #version = 0;
  readonly #events: { readonly key: string; readonly version: number; readonly line: string }[] = [];
  readonly #watches = new Set<{ readonly prefix: string; onLine(line: string): void; end(): void }>();

  /** @param path `networking.platformapis/v1alpha/locations`, or `v1/secrets` */
  put(path: string, namespace: string, name: string, content: Json): Json {
    const key = objectKey(path, namespace, name);
    const before = this.objects.get(key);
    const metadata = {
      uid: `uid-${name}-${this.#version}`,
      generation: 1,
      ...(before?.["metadata"] as Json | undefined),
      ...(content["metadata"] as Json | undefined),
      ...{ namespace, name },
    };
    return this.#store(key, { ...before, ...content, metadata });
  }

  /** Deletes at once, or marks an object that has finalizers. */
  remove(path: string, namespace: string, name: string): void {
    const key = objectKey(path, namespace, name);
    const object = this.objects.get(key);
    if (object === undefined) return;
    const metadata = object["metadata"] as Json;
    if (Array.isArray(metadata["finalizers"]) && metadata["finalizers"].length > 0) {
      this.#store(key, { ...object, metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    } else this.#delete(key);
  }

  get(path: string, namespace: string, name: string): Json | undefined {
    return this.objects.get(objectKey(path, namespace, name));
  }

  async ready(): Promise<void> {}

  async send(
    method: string,
    path: string,
    { body }: { readonly body?: unknown },
    signal: AbortSignal,
  ): Promise<ApiOutcome> {
    signal.throwIfAborted();
    await new Promise(setImmediate);
    if (this.isUnavailable) return { outcome: "failed", message: "away" };
    const code = this.refuses(method, path);
    if (code !== undefined) return { outcome: "rejected", code, message: `HTTP ${code}` };
    if (method === "POST") return this.#create(path, body as Json);
    const { collection, key, subresource } = parsed(path);
    if (key === undefined) {
      const items = this.#list(collection);
      return { outcome: "ok", json: { metadata: { resourceVersion: String(this.#version) }, items } };
    }
    const present = this.objects.get(key);
    if (present === undefined) return { outcome: "rejected", code: 404, message: "HTTP 404" };
    if (method === "GET") return { outcome: "ok", json: present };
    const patch = body as Json;
    const version = (patch["metadata"] as Json | undefined)?.["resourceVersion"];
    if (version !== undefined && version !== (present["metadata"] as Json)["resourceVersion"]) {
      return { outcome: "rejected", code: 409, message: "HTTP 409" };
    }
    const { status, ...others } = patch;
    const next = merged(present, subresource === "status" ? { status } : others) as Json;
    const metadata = next["metadata"] as Json;
    this.writes.push({ path: subresource === "" ? key : `${key}/status`, object: next });
    if (metadata["deletionTimestamp"] !== undefined && (metadata["finalizers"] as unknown[]).length === 0) {
      this.#delete(key);
      return { outcome: "ok", json: next };
    }
    return { outcome: "ok", json: this.#store(key, next) };
  }

  #create(path: string, body: Json): ApiOutcome {
    const { key = "" } = parsed(`${path}/${(body["metadata"] as Json)["name"]}`);
    if (this.objects.has(key)) return { outcome: "rejected", code: 409, message: "HTTP 409" };
    const created = this.#store(key, body);
    this.writes.push({ path: key, object: created });
    return { outcome: "ok", json: created };
  }

  async watch(
    path: string,
    { query = {} }: { readonly query?: Readonly<Record<string, string>> },
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<{ outcome: "closed" }> {
    await new Promise<void>((end) => {
      const watch = { prefix: `${path}/`, onLine, end };
      this.#watches.add(watch);
      for (const { key, version, line } of this.#events) {
        if (version > Number(query["resourceVersion"]) && key.startsWith(watch.prefix)) onLine(line);
      }
      signal.addEventListener("abort", () => {
        this.#watches.delete(watch);
        end();
      });
    });
    signal.throwIfAborted();
    return { outcome: "closed" };
  }

  #list(collection: string): Json[] {
    return [...this.objects].flatMap(([key, object]) => (key.startsWith(`${collection}/`) ? [object] : []));
  }

  #store(key: string, object: Json): Json {
    const version = String(++this.#version);
    const stored = { ...object, metadata: { ...(object["metadata"] as Json), resourceVersion: version } };
    const type = this.objects.has(key) ? "MODIFIED" : "ADDED";
    this.objects.set(key, stored);
    this.#tell(key, type, stored);
    return stored;
  }

  #delete(key: string): void {
    const object = this.objects.get(key);
    this.objects.delete(key);
    const metadata = { ...(object?.["metadata"] as Json), resourceVersion: String(++this.#version) };
    this.#tell(key, "DELETED", { ...object, metadata });
  }

  #tell(key: string, type: string, object: Json): void {
    const line = JSON.stringify({ type, object });
    this.#events.push({ key, version: this.#version, line });
    for (const { prefix, onLine } of this.#watches) {
      if (key.startsWith(prefix)) setImmediate(onLine, line);
    }
  }
}

function objectKey(path: string, namespace: string, name: string): string {
  return `${path.startsWith("v1/") ? "/api" : "/apis"}/${path}/${namespace}/${name}`;
}

/** `/apis/G/V/namespaces/N/PLURAL/NAME/status`, or a collection across namespaces. */
function parsed(path: string): { collection: string; key: string | undefined; subresource: string } {
  const match = /^(.*)\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)(?:\/(status))?$/.exec(path);
  if (match === null) return { collection: path, key: undefined, subresource: "" };
  const [, prefix, namespace, plural, name, subresource = ""] = match;
  const collection = `${prefix}/${plural}`;
  return { collection, key: `${collection}/${namespace}/${name}`, subresource };
}

/** RFC 7386. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
