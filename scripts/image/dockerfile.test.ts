import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { dockerContext } from "./docker-ignore.ts";
import { type Instruction, lastOf, neededStages, parseDockerfile } from "./dockerfile.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(resolve(root, file), "utf8");

test("a Dockerfile is stages of instructions", () => {
  const text = `# comment
ARG BASE=a
FROM --platform=$BUILDPLATFORM base:1 AS build
COPY --from=other --chown=1:1 a b ./
RUN x && \\
    # within
    y
FROM build
CMD ["run", "--config"]
HEALTHCHECK --interval=30s CMD ["status"]
`;
  const [build, last] = parseDockerfile(text);
  expect([build?.name, build?.base, last?.name, last?.base]).toEqual(["build", "base:1", "1", "build"]);
  expect(build?.instructions).toEqual([
    {
      keyword: "COPY",
      flags: { from: "other", chown: "1:1" },
      words: ["a", "b", "./"],
      text: "a b ./",
      isExecForm: false,
    },
    { keyword: "RUN", flags: {}, words: ["x", "&&", "y"], text: "x && y", isExecForm: false },
  ]);
  expect(last && lastOf(last, "CMD")).toMatchObject({ words: ["run", "--config"], isExecForm: true });
  expect(last && lastOf(last, "HEALTHCHECK")).toMatchObject({ words: ["status"], isExecForm: true });
});

test.each([
  ["src/cli.ts", true],
  ["src/base/core/errors.ts", true],
  ["src/base/core/errors.test.ts", false],
  ["scripts/build.mjs", true],
  ["scripts/demo.ts", false],
  ["node_modules/zod/package.json", false],
  [".env", false],
])("the context: %s %s", (path, expected) => {
  expect(dockerContext(read(".dockerignore"))(path)).toBe(expected);
});

test("a stage that the last one does not need is not built", () => {
  const text =
    "FROM a AS base\nFROM base AS build\nRUN x\nFROM c AS other\nRUN y\nFROM d\nCOPY --from=build /x /x";
  expect(neededStages(parseDockerfile(text)).map(({ name }) => name)).toEqual(["base", "build", "3"]);
});

describe("our Dockerfile", () => {
  const stages = parseDockerfile(read("Dockerfile"));
  const image = stages.at(-1) ?? { name: "", base: "", instructions: [] };
  const keeps = dockerContext(read(".dockerignore"));

  test("copies nothing that the context lacks", () => {
    const sources = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ keyword, flags }) => keyword === "COPY" && flags["from"] === undefined)
      .flatMap(({ words }) => words.slice(0, -1));
    expect(sources.filter((source) => !keeps(source))).toEqual([]);
  });

  test("runs one process, without a shell that would keep signals from it", () => {
    for (const keyword of ["ENTRYPOINT", "CMD", "HEALTHCHECK"]) {
      expect([keyword, lastOf(image, keyword)?.isExecForm]).toEqual([keyword, true]);
    }
  });

  test("is not root, and has production's packages only", () => {
    expect(lastOf(image, "USER")?.text).toBe("1000:1000");
    const dependencies = stages.find(({ name }) => name === "dependencies");
    expect(dependencies && lastOf(dependencies, "RUN")?.text).toMatch(
      /^npm ci --omit=dev --ignore-scripts &&/,
    );
  });

  test("has HAProxy and nft, installed by root, without the lists of packages", () => {
    const isInstall = ({ text }: Instruction): boolean => text.startsWith("apt-get update &&");
    const place = image.instructions.findIndex(isInstall);
    const [, packages] =
      /install --yes --no-install-recommends (.*?) &&/.exec(image.instructions[place]?.text ?? "") ?? [];
    expect(packages?.split(" ")).toEqual(["haproxy", "nftables"]);
    expect(image.instructions[place]?.text).toMatch(/ rm -rf \/var\/lib\/apt\/lists\/\*$/);
    expect(place).toBeLessThan(image.instructions.findIndex(({ keyword }) => keyword === "USER"));
  });

  test("is of this version, under this licence", () => {
    const { version, license, description } = JSON.parse(read("package.json")) as Record<string, string>;
    expect(image.instructions).toContainEqual(
      expect.objectContaining({ keyword: "ARG", text: `VERSION=${version}` }),
    );
    const labels = lastOf(image, "LABEL")?.text ?? "";
    expect(labels).toContain(`image.licenses="${license}"`);
    expect(labels).toContain(`image.description="${description}"`);
  });
});
