import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { validate } from "./validate.ts";

const forever = new AbortController().signal;
const samples = fileURLToPath(new URL("../../../../config/policies", import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "validate-"));
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (name: string, text: string) => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const run = async (paths: string[], output: "text" | "json" = "text") => {
  const { text, exitStatus } = await validate(paths, { output }, forever);
  // The messages about MetricsQL are tested elsewhere.
  const plain = text.replaceAll(`${folder}/`, "").replace(/(is not MetricsQL: ).*( \(column)/g, "$1…$2");
  return { text: plain, exitStatus };
};

const policy = (
  name: string,
  source = '{job="web"}',
  extra = "",
) => `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: ${name} }
spec:
  sources:
    - name: all
      metrics:
        metricsql: '${source}'
    - { name: some, metrics: { metricsql: 'up{job="web"}' } }
  sinks:
    - name: main
      sources: [all, some]
      target:
        prometheusRemoteWrite:
          endpoint: http://127.0.0.1:9090/api/v1/write
          ${extra}
`;

const relabel = `relabel:
            - { sourceLabels: [__name__], regex: "go_.*", action: drop }
            - { sourceLabels: [__name__], targetLabel: __name__, replacement: app_$1 }
            - { regex: pod, action: labeldrop }`;

test("what a series becomes at each sink, with the operator's rules of a configuration", async () => {
  const path = await put("a.yaml", policy("a", '{job="web"}', relabel));
  const config = await put(
    "telemetryd.yaml",
    `metrics: { url: http://h }
policies: { directory: ${folder} }
delivery:
  endpoints:
    - urlPrefix: http://127.0.0.1:9090/api
      externalLabels: { zone: a }
      relabel: [{ targetLabel: zone, replacement: b }]
`,
  );
  const at = async (relabelTest: string, ...paths: string[]) => {
    const { text } = await validate(paths, { relabelTest }, forever);
    return text.trimEnd().split("\n").at(-1);
  };
  expect(await at('up{job="web",pod="x"}', path)).toBe('default/a/main: app_up{job="web"}');
  expect(await at('{__name__="up"}', config, path)).toBe('default/a/main: app_up{zone="b"}');
  expect(await at("go_info", path)).toBe("default/a/main: not sent: a relabelling rule drops the series");
  const { text } = await validate([path], { output: "json", relabelTest: "up" }, forever);
  expect(JSON.parse(text).relabelTests).toEqual([
    { policy: "default/a", sink: "main", series: "up{}", sent: "app_up{}" },
  ]);
  for (const wrong of ["up{", "{}", 'up{a=~"b"}', "rate(up[1m])", 'up{a="b",a="c"}']) {
    await expect(at(wrong, path)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  }
});

test("faults of relabelling rules, each at its place", async () => {
  const rules = `relabel:
            - { sourceLabels: [a], regex: "a(", targetLabel: b }
            - { action: hashmod, targetLabel: b }`;
  const { text } = await run([await put("a.yaml", policy("a", '{job="web"}', rules))]);
  expect(text).toContain('relabel[0].regex: must be a regular expression of RE2: missing ")"');
  expect(text).toContain("relabel[1]");
  expect(text).toContain("requires non-zero modulus");
});

test("the samples are right", async () => {
  expect(await run([samples])).toEqual({ text: "4 files checked: 0 errors, 0 warnings\n", exitStatus: 0 });
});

test("faults of configurations and manifests together, MetricsQL with a caret, overlaps as warnings", async () => {
  const config = await put("telemetryd.yaml", "ops:\nmetrics: { url: http://h, intervall: 5s }\n");
  const broken = await put("broken.yaml", policy("broken", '{job="web", code=~"5..}'));
  const doubtful = await put("doubtful.yaml", policy("doubtful"));
  expect(await run([config, broken, doubtful])).toEqual({
    exitStatus: 2,
    text: `broken.yaml:8:20: error: spec.sources[0].metrics.metricsql: is not MetricsQL: … (column 19)
    {job="web", code=~"5..}
                      ^
doubtful.yaml:12:16: warning: spec.sinks[0].sources: names all and some: all selects all that some selects; a sample of several sources is sent once for each
telemetryd.yaml:2:27: error: metrics.intervall: is not a key (did you mean "interval"?)
3 files checked: 2 errors, 1 warning
`,
  });
});

test("a Secret that no file has is a warning", async () => {
  const authentication = "authentication: { basicAuth: { secretRef: { name: login } } }";
  const path = await put("a.yaml", policy("a", '{job="other"}', authentication));
  const secret = await put(
    "s.yaml",
    "apiVersion: v1\nkind: Secret\nmetadata: { name: login }\ntype: kubernetes.io/basic-auth\nstringData: { username: u, password: p }\n",
  );
  expect((await run([path])).text).toContain(
    'basicAuth.secretRef.name: names the Secret "login", which is not in the files given; it must be in namespace default',
  );
  expect(await run([path, secret])).toEqual({
    text: "2 files checked: 0 errors, 0 warnings\n",
    exitStatus: 0,
  });
});

test("the same policy in two files", async () => {
  await put("a.yaml", policy("web", "a"));
  await put("b.yaml", policy("web", "a"));
  const { text, exitStatus } = await run([folder]);
  expect(exitStatus).toBe(2);
  expect(text).toContain(
    "b.yaml:3:19: error: metadata.name: ExportPolicy default/web is in a.yaml:3 too; keep one, that one is used",
  );
});

test("directories are walked; what is in them and neither is passed over", async () => {
  await mkdir(join(folder, "deep/.hidden"), { recursive: true });
  await put("deep/policy.yaml", policy("a", "a"));
  await put("deep/package.json", "{}");
  await put("deep/.hidden/broken.yaml", "a: [");
  await symlink(folder, join(folder, "deep/circle"));
  expect(await run([folder])).toEqual({ text: "1 file checked: 0 errors, 0 warnings\n", exitStatus: 0 });
});

test("--output json", async () => {
  const path = await put("a.yaml", policy("a", "("));
  const { text, exitStatus } = await run([path], "json");
  expect(exitStatus).toBe(2);
  expect(JSON.parse(text)).toEqual({
    valid: false,
    files: ["a.yaml"],
    faults: [
      {
        severity: "error",
        file: "a.yaml",
        line: 8,
        column: 20,
        path: "spec.sources[0].metrics.metricsql",
        message: expect.stringContaining("is not MetricsQL"),
        excerpt: "(\n ^",
      },
    ],
  });
});

describe("paths that cannot be used", () => {
  test.each<[string, string | undefined, string]>([
    [
      "missing.yaml",
      undefined,
      "missing.yaml: error: does not exist\n0 files checked: 1 error, 0 warnings\n",
    ],
    [
      "other.yaml",
      "a: 1\n",
      "other.yaml: error: is neither a configuration (sections such as policies, metrics) nor a manifest (apiVersion, kind)\n0 files checked: 1 error, 0 warnings\n",
    ],
    [
      "big.yaml",
      "#".repeat(1024 * 1024 + 1),
      "big.yaml: error: cannot be read: it is larger than 1 MiB\n0 files checked: 1 error, 0 warnings\n",
    ],
    [
      "broken-config.yaml",
      "metrics:\n  url: [\n",
      "broken-config.yaml:3:1: error: Flow sequence in block collection must be sufficiently indented and end with a ]\n1 file checked: 1 error, 0 warnings\n",
    ],
  ])("%s", async (name, content, text) => {
    if (content !== undefined) await put(name, content);
    expect(await run([join(folder, name)])).toEqual({ text, exitStatus: 2 });
  });

  test("an empty directory", async () => {
    const { text, exitStatus } = await validate([folder], {}, forever);
    expect(text).toContain("holds no *.yaml or *.json file that is a configuration or a manifest");
    expect(exitStatus).toBe(2);
  });
});

describe("policies beside a configuration", () => {
  const naming = () => put("policy.yaml", policy("web", 'sum({project="shop"}) by (project)'));
  const metrics = 'metrics: { url: "http://h", tenantLabel: project }\n';

  test("of a control plane must not name the label that distinguishes its projects", async () => {
    const token = await put("token", "t");
    const plane = `controlPlane: { apiUrl: "https://a", projects: [web], accessTokenFile: ${token} }\n`;
    const config = await put("telemetryd.yaml", plane + metrics);
    const { text, exitStatus } = await run([await naming(), config]);
    expect(exitStatus).toBe(2);
    expect(text).toMatch(/policy.yaml:8:20: error: .* must not name the label project/);
  });

  test("of a directory may", async () => {
    const config = await put("telemetryd.yaml", `policies: { directory: . }\n${metrics}`);
    const { text, exitStatus } = await run([await naming(), config]);
    expect(text).not.toContain("error:");
    expect(exitStatus).toBe(0);
  });
});

test("what a query costs is a warning at its place", async () => {
  const path = await put("costly.yaml", policy("web", 'sum(rate({job=~".*"}[2d])) + running_sum(up)'));
  const { text, exitStatus } = await run([path]);
  expect(exitStatus).toBe(0);
  for (const part of [
    "matches nearly every series",
    "the window of 2d is long",
    "running_sum() looks at the whole range",
  ]) {
    expect(text).toContain(part);
  }
});
