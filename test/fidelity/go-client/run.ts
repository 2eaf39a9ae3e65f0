/**
 * `npm run prove -- go-client`: a typed Go client (client-go, built with Go) against the platform, as
 * controllers use it: protobuf requests, both recorders of events, and the election of a leader.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startChild } from "../../../scripts/servers/child.ts";
import { buildGoSource } from "../../support/go-source.ts";
import { projectBase, startTestPlatform, writeKubeconfig } from "../../support/plane/platform.ts";
import { projectApi } from "../platform-api.ts";

const modules = ["k8s.io/client-go@v0.35.0"];
const { signal } = new AbortController();

const source = fileURLToPath(new URL("main.go", import.meta.url));
const program = await buildGoSource({ name: "go-client", source, modules }, signal);
const platform = await startTestPlatform();
try {
  await projectApi(platform, "web");
  const kubeconfig = join(platform.stateDirectory, "kubeconfig");
  const bearer = await platform.exchange(platform.token);
  await writeKubeconfig(platform, kubeconfig, projectBase("web"), bearer);
  const child = await startChild({ name: "go-client", program, args: [kubeconfig] });
  const { code } = await child.exited;
  process.stdout.write(child.log());
  process.exitCode = code ?? 1;
} finally {
  await platform.stop();
}
