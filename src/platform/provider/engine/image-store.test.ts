import { expect, test } from "vitest";
import { systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { type EngineClient, EngineRefusal } from "./engine-client.ts";
import { imageReference } from "./image-reference.ts";
import { ImageStore } from "./image-store.ts";

const never = new AbortController().signal;
const image = imageReference("registry.example/web:1")!;
const owner = { uid: "u1", plane: "acme/site" };
const credential = { registry: "https://registry.example/", username: "robot", password: "correct-horse" };

/** A store of an engine without images whose pulls end as told. */
function makeStore(pull: (auth: string | undefined) => Promise<object[]>) {
  let pulls = 0;
  let hasImage = false;
  const ended: string[] = [];
  const client: EngineClient = {
    async send() {
      if (!hasImage) throw new EngineRefusal(404, "no such image");
      return { Id: "sha256:1", Config: null };
    },
    async lines(_method, _path, { headers }, onLine) {
      pulls += 1;
      const lines = await pull(headers?.["x-registry-auth"]);
      hasImage = lines.every((line) => !("error" in line));
      for (const line of lines) onLine(line);
    },
    async bytes() {},
    async close() {},
  };
  const store = new ImageStore({
    client,
    clock: systemClock,
    pull: "missing",
    registries: ["registry.example", "docker.io"],
    log: silentLogger,
    onEnd: (uid) => ended.push(uid),
  });
  return { store, ended, pulls: () => pulls };
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test("everybody who wants an image waits for the same pull and sees its end", async () => {
  const { store, ended, pulls } = makeStore(async () => [{ status: "Downloading" }]);
  const all = ["u1", "u2"].map((uid) => store.find(image, { ...owner, uid }, [], never));
  expect(await Promise.all(all)).toEqual([undefined, undefined]);
  await settle();
  expect(ended).toEqual(["u1", "u2"]);
  expect(await store.find(image, owner, [], never)).toBe("sha256:1");
  expect(pulls()).toBe(1);
});

test("a failure is described in words of our own: the engine repeats addresses and credentials", async () => {
  const seen: string[] = [];
  const { store, pulls } = makeStore(async (auth = "") => {
    seen.push(Buffer.from(auth, "base64url").toString());
    return [{ error: `unauthorized: ${auth} robot:correct-horse ${btoa("robot:correct-horse")}` }];
  });
  await store.find(image, owner, [credential, { ...credential, registry: "other.example" }], never);
  await settle();
  const failure = await store.find(image, owner, [credential], never).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    outcome: "refused",
    reason: "ImagePullFailed",
    message: "registry.example/web:1 could not be pulled: the registry refuses access to it",
  });
  // Asked again at once, it is the same failure: registries are not asked all the time.
  await expect(store.find(image, owner, [credential], never)).rejects.toThrow(/refuses access/);
  expect(pulls()).toBe(1);
  expect(seen.map((text) => JSON.parse(text).password)).toEqual(["correct-horse"]);
});

test.each([
  "127.0.0.1:5000/x",
  "localhost/x",
  "169.254.169.254/x",
  "[::1]:5000/x",
  "registry.example:5000/x",
])("no registry of the list is never asked: %s", async (name) => {
  const { store, pulls } = makeStore(async () => []);
  const found = store.find(imageReference(name)!, owner, [], never);
  await expect(found).rejects.toMatchObject({ outcome: "refused", reason: "ImageNotAllowed" });
  expect(pulls()).toBe(0);
});

test("one plane's pulls do not take all places", async () => {
  const { store, pulls } = makeStore(() => new Promise(() => undefined));
  const tags = Array.from({ length: 20 }, (_, tag) => imageReference(`registry.example/web:${tag}`)!);
  for (const tag of tags) await store.find(tag, owner, [], never);
  await settle();
  expect(pulls()).toBe(4);
  await store.find(imageReference("other")!, { uid: "u2", plane: "other/site" }, [], never);
  await settle();
  expect(pulls()).toBe(5);
});
