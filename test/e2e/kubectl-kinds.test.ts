import "../support/leak-check.ts";
import { describe, expect, test } from "vitest";
import { connectKubectl, kubectlBinary } from "../support/plane/connected-kubectl.ts";
import type { Kubectl } from "../support/plane/kubectl.ts";
import { startTestPlatform } from "../support/plane/platform.ts";
import { testKinds } from "../support/plane/test-kinds.ts";
import { setUpAll } from "../support/set-up.ts";

/** Features of kinds that the served kinds hardly use, with the real kubectl and kinds made for the test. */

let k: Kubectl;

setUpAll(async ({ keep }) => {
  const platform = await keep(startTestPlatform({ kinds: testKinds }));
  const kubectl = await keep(connectKubectl(platform));
  k = kubectl.project;
  if (kubectlBinary !== undefined) await kubectl.createProject();
});

const widget = (name: string, spec: object, group = "things.platformapis") => ({
  ...{ apiVersion: `${group}/v1alpha`, kind: "Widget" },
  metadata: { name },
  spec,
});

const shard = (ports: object[]) => ({
  ...{ apiVersion: "shards.k8s.io/v1", kind: "Shard" },
  metadata: { name: "s" },
  ports,
});

describe.runIf(kubectlBinary !== undefined)("kubectl", () => {
  test("an integer or text: validated, applied by client and server, explained", async () => {
    for (const how of [["--validate=strict"], ["--server-side", "--force-conflicts"]]) {
      for (const port of [8080, "http"]) {
        await k.file(widget("port", { port, ports: [{ name: "a", port }] }), "apply", ...how);
        const shown = await k.ok(
          "get",
          "widget",
          "port",
          "-o",
          "jsonpath={.spec.port} {.spec.ports[0].port}",
        );
        expect(shown).toBe(`${port} ${port}`);
      }
    }
    const refused = await k.run(["apply", "-f", "-"], {
      input: JSON.stringify(widget("port", { port: true })),
    });
    expect(refused.err).toContain("spec.port in body must be of type integer,string");
    expect(refused.err).toContain("some validation rules were not checked because the object was invalid");
    expect(await k.ok("explain", "widget.spec")).toMatch(/port\s+<Object>\n\s+Number or name of a port/);
    expect(await k.ok("explain", "widget.spec", "--output=plaintext-openapiv2")).toMatch(
      /port\s+<>\n\s+Number or name of a port/,
    );
  });

  test("columns: Age in its place, empty cells, lists", async () => {
    await k.file(widget("columns", { families: ["IPv4"] }), "apply");
    expect(await k.ok("get", "widgets", "columns")).toMatch(
      /^NAME +AGE +FAMILIES +PHASE\ncolumns +\d+s +\["IPv4"\] *\n$/,
    );
  });

  test("admission against other objects, in a dry run as well", async () => {
    const manifest = widget("refers", { configMap: "missing" });
    for (const how of [[], ["--dry-run=server"], ["--server-side"]]) {
      const refused = await k.run(["apply", ...how, "-f", "-"], { input: JSON.stringify(manifest) });
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringContaining('spec.configMap: Not found: "missing"'),
      ]);
    }
  });

  test("a built-in kind with a generation, applied by strategic merge", async () => {
    await k.file(shard([{ name: "a", port: 1 }]), "apply");
    expect(await k.file(shard([{ name: "b", port: "x" }]), "apply")).toMatch(/configured/);
    const patch = JSON.stringify({ ports: [{ name: "c", port: 2 }] });
    await k.ok("patch", "shard", "s", "-p", patch);
    expect(await k.ok("get", "shard", "s", "-o", "jsonpath={.metadata.generation} {.ports[*].name}")).toBe(
      "3 b c",
    );
    expect(await k.ok("explain", "shard.ports.port")).toMatch(/Number or name of the port/);
  });

  test("one store under two groups: apply, get, watch, wait and delete in either", async () => {
    const [things, gadgets] = ["widgets.things.platformapis", "widgets.gadgets.platformapis"];
    const watch = k.start("get", gadgets, "--watch", "-o", "jsonpath={.apiVersion} {.metadata.name}{'\\n'}");
    await watch.sees("gadgets.platformapis/v1alpha port");
    await k.file(widget("two", { port: 1 }), "apply");
    await watch.sees("gadgets.platformapis/v1alpha two");
    const changed = widget("two", { port: 2 }, "gadgets.platformapis");
    expect(await k.file(changed, "apply")).toMatch(/^widget.gadgets.platformapis\/two configured/);
    const identity = "jsonpath={.metadata.uid} {.metadata.resourceVersion} {.spec.port}";
    expect(await k.ok("get", things, "two", "-o", identity)).toBe(
      await k.ok("get", gadgets, "two", "-o", identity),
    );
    expect(await k.ok("get", gadgets, "two", "-o", "jsonpath={.apiVersion}")).toBe(
      "gadgets.platformapis/v1alpha",
    );
    expect(await k.ok("get", gadgets, "--chunk-size=1", "-o", "name")).toContain(
      "widget.gadgets.platformapis/two",
    );
    expect(await k.ok("describe", gadgets, "two")).toMatch(/API Version: +gadgets.platformapis\/v1alpha/);
    await k.ok("delete", gadgets, "two");
    expect((await k.run(["get", things, "two"])).err).toMatch(/"two" not found/);
    await watch.stop();
  });

  test("a category names the kinds of all groups", async () => {
    const names = (await k.ok("get", "toys", "-o", "name")).split("\n");
    expect(names).toEqual(
      expect.arrayContaining([
        "shard.shards.k8s.io/s",
        "widget.things.platformapis/port",
        "widget.gadgets.platformapis/port",
      ]),
    );
    expect(await k.ok("api-resources", "--categories=toys", "-o", "name")).toMatch(/widgets\.gadgets/);
  });
});
