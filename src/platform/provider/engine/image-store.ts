import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { FairSemaphore } from "../../../base/core/fair-semaphore.ts";
import type { Logger } from "../../../base/log/log.ts";
import { type RegistryCredential, RuntimeError } from "../runtime/runtime.ts";
import { type EngineClient, engineWords, unlessRefused } from "./engine-client.ts";
import { inspectedImage, pullProgress, readResponse } from "./engine-objects.ts";
import type { ImageReference } from "./image-reference.ts";
import { labelPrefix } from "./labels.ts";

/** When images are pulled: if the engine has none of the name, before each start, never. */
export type PullPolicy = "missing" | "always" | "never";

export interface ImageStoreOptions {
  readonly client: EngineClient;
  readonly clock: Clock;
  readonly pull: PullPolicy;
  /** Registries that images are pulled from. */
  readonly registries: readonly string[];
  readonly log: Logger;
  /** Of one pull; default 15 min. */
  readonly pullLimitMs?: number;
  /** Called with each instance that waited, when a pull has ended. */
  readonly onEnd: (uid: string) => void;
}

interface Pull {
  readonly waiting: Set<string>;
  /** Undefined while it runs. */
  end?: { readonly atMs: number; readonly failure: string | undefined };
}

const pullsAtOnce = 8;
const usualPullLimitMs = 15 * 60_000;
/** How long the end of a pull is that of everybody who asks for the same. */
const endIsValidMs = 10_000;
const maxProgressBytes = 64 * 2 ** 20;
/** Labels of an image become its containers', and all of these are listed again and again. */
const maxLabelsLength = 64 * 1024;

/** The engine's images. Pulls run in the background, a few at once, each plane's in turn. */
export class ImageStore {
  readonly #options: ImageStoreOptions;
  readonly #pulls = new Map<string, Pull>();
  readonly #places = new FairSemaphore(pullsAtOnce, "half");
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: ImageStoreOptions) {
    this.#options = options;
    // Every pull that waits listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /**
   * The engine's id of an image; undefined while it is being pulled.
   *
   * @throws RuntimeError if the image cannot be had or used
   */
  async find(
    image: ImageReference,
    owner: { readonly uid: string; readonly plane: string },
    credentials: readonly RegistryCredential[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { pull: policy } = this.#options;
    if (policy === "always") {
      this.#checkRegistry(image);
      const pull = this.#pull(image, owner, credentials);
      if (pull.end === undefined) return undefined;
      if (pull.end.failure !== undefined) throw pullFailed(image, pull.end.failure);
      const id = await this.#inspect(image, signal);
      if (id === undefined) throw pullFailed(image, "it is not there afterwards");
      return id;
    }
    const id = await this.#inspect(image, signal);
    if (id !== undefined) return id;
    if (policy === "never") {
      const message = `the engine does not have ${image.full}, and provider.engine.pull is never`;
      throw new RuntimeError("refused", "ImageMissing", message);
    }
    this.#checkRegistry(image);
    const pull = this.#pull(image, owner, credentials);
    if (pull.end?.failure !== undefined) throw pullFailed(image, pull.end.failure);
    return undefined;
  }

  /** An image's name says which address the engine connects to. @throws RuntimeError */
  #checkRegistry({ registry, full }: ImageReference): void {
    const { registries } = this.#options;
    if (registries.includes(registry.toLowerCase())) return;
    const message = `${full} is not of a registry that this location pulls from: ${registries.join(", ")}`;
    throw new RuntimeError("refused", "ImageNotAllowed", message);
  }

  /** Aborts the pulls. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  /** @returns undefined if the engine does not have it */
  async #inspect(image: ImageReference, signal: AbortSignal): Promise<string | undefined> {
    const path = `/images/${image.full}/json`;
    const response = await unlessRefused([404], this.#options.client.send("GET", path, {}, signal));
    if (response === undefined) return undefined;
    const { Id, Config } = readResponse(inspectedImage, response);
    const labels = Config?.Labels ?? {};
    if (Object.keys(labels).some((name) => name.startsWith(labelPrefix))) {
      throw new RuntimeError("refused", "ImageNotAllowed", `${image.full} has labels of "${labelPrefix}"`);
    }
    if (JSON.stringify(labels).length > maxLabelsLength) {
      throw new RuntimeError("refused", "ImageNotAllowed", `the labels of ${image.full} exceed 64 KiB`);
    }
    return Id;
  }

  /** The pull of an image with these credentials: the last one, or a new one. */
  #pull(
    image: ImageReference,
    owner: { readonly uid: string; readonly plane: string },
    credentials: readonly RegistryCredential[],
  ): Pull {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [key, { end }] of this.#pulls) {
      if (end !== undefined && end.atMs + endIsValidMs < nowMs) this.#pulls.delete(key);
    }
    const usable = credentials.filter(({ registry }) => registryHost(registry) === image.registry);
    const key = createHash("sha256")
      .update(JSON.stringify([image.full, usable]))
      .digest("hex");
    const known = this.#pulls.get(key);
    if (known !== undefined) {
      if (known.end === undefined) known.waiting.add(owner.uid);
      return known;
    }
    const pull: Pull = { waiting: new Set([owner.uid]) };
    this.#pulls.set(key, pull);
    const run = this.#run(image, usable, owner.plane, this.#closing.signal).then((failure) => {
      if (failure !== undefined) {
        const { full } = image;
        this.#options.log.info(
          { plane: owner.plane, image: full, error: failure },
          "an image was not pulled",
        );
      }
      pull.end = { atMs: this.#options.clock.monotonicMs(), failure };
      this.#running.delete(run);
      if (!this.#closing.signal.aborted) for (const uid of pull.waiting) this.#options.onEnd(uid);
    });
    this.#running.add(run);
    return pull;
  }

  /** Tries each credential, or none where there are none. @returns why the last one failed; never rejects */
  async #run(
    image: ImageReference,
    credentials: readonly RegistryCredential[],
    plane: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      await this.#places.acquire(plane, signal);
    } catch (error) {
      return describeError(error);
    }
    try {
      let failure: string | undefined;
      for (const credential of credentials.length === 0 ? [undefined] : credentials) {
        failure = await this.#fetch(image, credential, signal);
        if (failure === undefined) return undefined;
      }
      return failure;
    } finally {
      this.#places.release(plane);
    }
  }

  async #fetch(
    image: ImageReference,
    credential: RegistryCredential | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, pullLimitMs = usualPullLimitMs } = this.#options;
    let failure: string | undefined;
    try {
      await client.lines(
        "POST",
        "/images/create",
        {
          query: { fromImage: image.full },
          headers: credential === undefined ? {} : { "x-registry-auth": authorization(credential) },
          limitMs: pullLimitMs,
          maxBytes: maxProgressBytes,
        },
        (line) => {
          const progress = pullProgress.safeParse(line);
          if (progress.success && progress.data.error !== undefined) failure = progress.data.error;
        },
        signal,
      );
    } catch (error) {
      failure = describeError(error);
    }
    return failure === undefined ? undefined : engineWords(without(failure, credential));
  }
}

/** What a tenant may read of a failure: the words of networks and machines are the operator's. */
const knownFailures: readonly (readonly [RegExp, string])[] = [
  [/manifest unknown|name unknown|not found|no such/i, "the registry does not have it"],
  [/unauthorized|authentication required|denied|forbidden/i, "the registry refuses access to it"],
  [/too ?many ?requests/i, "the registry has had too many requests"],
];

function pullFailed({ full }: ImageReference, failure: string): RuntimeError {
  const known = knownFailures.find(([words]) => words.test(failure))?.[1];
  const message = `${full} could not be pulled${known === undefined ? "" : `: ${known}`}`;
  return new RuntimeError("refused", "ImagePullFailed", message);
}

/** `https://index.docker.io/v1/` is how Docker's own configuration calls docker.io. */
function registryHost(registry: string): string {
  const host = registry.replace(/^https?:\/\//, "").replace(/\/.*$/, "");
  return ["index.docker.io", "registry-1.docker.io"].includes(host) ? "docker.io" : host;
}

function authorization({ username, password, registry }: RegistryCredential): string {
  const text = JSON.stringify({ username, password, serveraddress: registry });
  // In the alphabet for URLs, yet padded: neither of Node's own forms.
  return Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

/** Registries repeat what they were sent, in their own words. */
function without(text: string, credential: RegistryCredential | undefined): string {
  if (credential === undefined) return text;
  const { username, password } = credential;
  const forms = [
    password,
    encodeURIComponent(password),
    Buffer.from(`${username}:${password}`).toString("base64"),
    authorization(credential),
  ].filter((form) => form !== "");
  return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
}
