import { expect, test } from "vitest";
import { execCredential, readExecCredential } from "./exec-credential.ts";
import { readKubeconfig } from "./kubeconfig.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

function kubeconfig(user: object, cluster: object = { server: "https://api.example.com/base/" }): string {
  return JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster }],
    users: [{ name: "u", user }],
  });
}

test.each([
  ["a token", { token: "t" }, { kind: "token", token: "t" }],
  ["a token's file, beside the kubeconfig", { tokenFile: "t" }, { kind: "token-file", file: "/home/u/t" }],
  [
    "certificates",
    { "client-certificate-data": base64("CERT"), "client-key": "/key.pem" },
    { kind: "certificate", certificate: { text: "CERT" }, key: { file: "/key.pem" } },
  ],
  [
    "a plug-in",
    { exec: { apiVersion: "v1", command: "./plug", args: ["a"], env: [{ name: "N", value: "V" }] } },
    { kind: "exec", command: "/home/u/plug", args: ["a"], env: { N: "V" }, apiVersion: "v1" },
  ],
  ["nothing", {}, { kind: "none" }],
])("%s", (_name, user, credentials) => {
  expect(readKubeconfig(kubeconfig(user), "/home/u/config")).toEqual({
    ok: true,
    access: { server: "https://api.example.com/base", insecureSkipVerify: false, credentials },
  });
});

test("what is said of the cluster", () => {
  const cluster = {
    server: "https://a",
    "certificate-authority": "ca.pem",
    "tls-server-name": "name",
    "insecure-skip-tls-verify": true,
  };
  expect(readKubeconfig(kubeconfig({ token: "t" }, cluster), "/home/u/config")).toMatchObject({
    access: { ca: { file: "/home/u/ca.pem" }, serverName: "name", insecureSkipVerify: true },
  });
});

test.each([
  ["no YAML", "a: [", /line/],
  ["no object", "text", /no object/],
  ["no context", "{}", /no context/],
  ["no server", kubeconfig({}, {}), /no server address/],
  ["a password", kubeconfig({ username: "u", password: "p" }), /has none of token/],
])("%s", (_name, text, message) => {
  expect(readKubeconfig(text, "/c")).toMatchObject({ ok: false, message: expect.stringMatching(message) });
});

test.each([
  [{ kind: "ExecCredential", status: { token: "t" } }, { text: "t" }],
  [
    { kind: "ExecCredential", status: { token: "t", expirationTimestamp: "1970-01-01T00:00:05Z" } },
    { text: "t", expiresMs: 5_000 },
  ],
  [{ kind: "ExecCredential", status: {} }, undefined],
  [{ kind: "Other", status: { token: "t" } }, undefined],
  ["text", undefined],
])("a plug-in prints %j", (output, bearer) => {
  const outcome = readExecCredential(JSON.stringify(output));
  expect(outcome.outcome === "exchanged" ? outcome.bearer : undefined).toEqual(bearer);
});

test("a plug-in is run with what it needs to know; one that fails says so", async () => {
  const signal = new AbortController().signal;
  const script = `const i = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
    console.log(JSON.stringify({ kind: "ExecCredential", status: { token: process.env.WHO + i.spec.cluster.server } }));`;
  const exec = {
    kind: "exec",
    command: process.execPath,
    args: ["-e", script],
    env: { WHO: "me@" },
    apiVersion: "v1",
  } as const;
  const access = { server: "https://a", ca: undefined };
  expect(await execCredential(exec, access, signal)).toEqual({
    outcome: "exchanged",
    bearer: { text: "me@https://a" },
  });
  const failing = { ...exec, args: ["-e", "console.log('secret'); process.exit(3)"] };
  expect(await execCredential(failing, access, signal)).toEqual({
    outcome: "failed",
    message: `the credential plug-in ${process.execPath} failed: exit status 3`,
  });
});
