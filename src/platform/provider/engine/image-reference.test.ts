import fc from "fast-check";
import { expect, test } from "vitest";
import { imageReference } from "./image-reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each([
  ["nginx", "docker.io", "docker.io/library/nginx:latest"],
  ["nginx:1.27", "docker.io", "docker.io/library/nginx:1.27"],
  ["acme/web", "docker.io", "docker.io/acme/web:latest"],
  ["docker.io/nginx", "docker.io", "docker.io/library/nginx:latest"],
  ["registry.example:5000/a/b:1", "registry.example:5000", "registry.example:5000/a/b:1"],
  ["localhost/web", "localhost", "localhost/web:latest"],
  ["127.0.0.1:5000/web", "127.0.0.1:5000", "127.0.0.1:5000/web:latest"],
  [`nginx@${digest}`, "docker.io", `docker.io/library/nginx@${digest}`],
  [`ghcr.io/a/b:1@${digest}`, "ghcr.io", `ghcr.io/a/b:1@${digest}`],
  // Podman alone would read these from its own machine.
  ["dir:latest", "docker.io", "docker.io/library/dir:latest"],
  ["oci:x", "docker.io", "docker.io/library/oci:x"],
])("%s", (text, registry, full) => {
  expect(imageReference(text)).toEqual({ registry, full });
});

test("a name without a registry belongs to the first that images are pulled from", () => {
  const full = (text: string) => imageReference(text, "registry.example:5000")?.full;
  expect(full("hello")).toBe("registry.example:5000/hello:latest");
  expect(full("acme/web:1")).toBe("registry.example:5000/acme/web:1");
  expect(full("docker.io/hello")).toBe("docker.io/library/hello:latest");
});

test.each([
  "",
  "docker-archive:/etc/passwd",
  "dir:/etc",
  "dir:5000/etc",
  "oci:80/x",
  "containers-storage:[vfs@/x]y",
  "/etc/passwd",
  "a/../b",
  "-x",
  "a b",
  "a\n",
  "UPPER/web",
  "web@sha256:short",
  "web:tag:tag",
  `web:${"x".repeat(129)}`,
  `${"a/".repeat(400)}a`,
])("no image in a registry: %j", (text) => {
  expect(imageReference(text)).toBeUndefined();
});

test("a name in full is its own", () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (path, tag) => {
      const first = imageReference(`${path.join("/")}:${tag}`);
      expect(first && imageReference(first.full)).toEqual(first);
    }),
  );
});

test("hostile names take linear time", () => {
  const startMs = performance.now();
  for (const part of ["a-", "a.", "a__", "a/", "a:"]) imageReference(part.repeat(256));
  expect(performance.now() - startMs).toBeLessThan(2_000);
});
