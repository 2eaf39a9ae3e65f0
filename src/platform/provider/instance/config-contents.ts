import { isObject } from "../../../base/documents/yaml/document-path.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import type { ConfigName } from "../plane/named-configs.ts";
import { objectPath, WriteError } from "../plane/object-writer.ts";
import { nameKey, textAt } from "../plane/plane-object.ts";
import type { ConfigData } from "./environment.ts";

interface Known {
  readonly version: string;
  readonly data: ConfigData;
  readonly bytes: number;
}

/** All known contents together. */
const maxBytes = 32 * 2 ** 20;

/** Contents of the ConfigMaps and Secrets that Instances name, read when they are needed. */
export class ConfigContents {
  /** Oldest first. */
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  /**
   * @returns undefined when there is none
   * @throws WriteError when the control plane does not respond
   */
  async read(
    plane: FollowedPlane,
    namespace: string,
    { kind, name }: ConfigName,
    signal: AbortSignal,
  ): Promise<ConfigData | undefined> {
    const collection = plane.configs[kind];
    const seen = collection.get(nameKey(namespace, name));
    if (seen === undefined && collection.isListed) return undefined;
    const key = `${plane.plane} ${kind} ${nameKey(namespace, name)}`;
    const version = seen && textAt(seen, "metadata", "resourceVersion");
    const known = this.#known.get(key);
    if (known !== undefined && known.version === version) return known.data;
    const response = await plane.client.send("GET", objectPath(collection.path, namespace, name), {}, signal);
    if (response.outcome === "rejected" && response.code === 404) return undefined;
    if (response.outcome !== "ok") throw new WriteError(response.message);
    const data = contents(kind, response.json);
    this.#keep(key, textAt(response.json, "metadata", "resourceVersion") ?? "", data);
    return data;
  }

  #keep(key: string, version: string, data: ConfigData): void {
    let bytes = 0;
    for (const [name, value] of data) bytes += name.length + value.length;
    this.#drop(key);
    this.#known.set(key, { version, data, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#known.keys()) {
      if (this.#bytes <= maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#known.get(key)?.bytes ?? 0;
    this.#known.delete(key);
  }
}

function contents(kind: ConfigName["kind"], object: Record<string, unknown>): ConfigData {
  const entries = (value: unknown, encoding: "utf8" | "base64") =>
    Object.entries(isObject(value) ? value : {}).map(
      ([key, text]) => [key, Buffer.from(String(text), encoding)] as const,
    );
  return kind === "Secret"
    ? new Map(entries(object["data"], "base64"))
    : new Map([...entries(object["data"], "utf8"), ...entries(object["binaryData"], "base64")]);
}
