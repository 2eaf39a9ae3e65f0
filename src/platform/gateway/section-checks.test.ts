import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import { until } from "../../../test/support/until.ts";
import { createLogger } from "../../base/log/log.ts";
import type { CheckOutcome } from "./haproxy/configuration-check.ts";
import type { HeldProgram } from "./held-program.ts";
import { SectionChecks } from "./section-checks.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-checks-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

type Judge = (text: string) => CheckOutcome | Promise<CheckOutcome>;

const accepted: CheckOutcome = { kind: "accepted" };

/** Checks by `judge`, with the texts that were checked and the verdicts, `name: refusal`. */
function setUp(judge: Judge) {
  const texts: string[] = [];
  const verdicts: string[] = [];
  const replaced = new Set<HeldProgram>();
  const checks = new SectionChecks({
    haproxy: {
      async check(file) {
        const text = (await readFile(file, "utf8")).replace("shared\n", "");
        texts.push(text.replaceAll("\n", " ").trim());
        return await judge(text);
      },
    },
    file: join(directory, "haproxy.cfg"),
    isCurrent: (held) => !replaced.has(held),
    onVerdict: ({ program }, refusal) => verdicts.push(`${program.name}: ${refusal?.why ?? "accepted"}`),
    log: createLogger("error", { write: () => true }, false),
  });
  const add = (project: string, name: string, text = name) => {
    const plane = { type: "project", name: project, uid: project, organization: "acme" } as const;
    const held: HeldProgram = { program: programOf([], { plane, name }), states: new Map() };
    const ended = checks.add(held, () => ({ gateway: held.program.gateway, text: `${text}\n` }), "shared");
    return { held, ended };
  };
  return { texts, verdicts, replaced, checks, add };
}

const large = (name: string): string => `${name} ${"x".repeat(9_000)}`;

test("small sections of all projects are checked together, each text once", async () => {
  const { texts, verdicts, checks, add } = setUp(() => accepted);
  await add("p", "first").ended;
  await Promise.all([add("p", "a"), add("q", "b"), add("r", "c")].map(({ ended }) => ended));
  await add("s", "again", "b").ended;
  expect(texts.slice(0, 1)).toEqual(["first"]);
  expect(texts.slice(1).join(" ").split(" ").sort()).toEqual(["a", "b", "c"]);
  expect(verdicts).toContain("again: accepted");
  await checks.close();
});

test("a project whose checks take long does not delay another one's", async () => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { texts, verdicts, checks, add } = setUp(async (text) => {
    if (text.includes("slow")) await held;
    return accepted;
  });
  for (const name of ["slow-1", "slow-2", "slow-3"]) add("hostile", name, large(name));
  await add("plain", "a").ended;
  await add("plain", "b", large("b")).ended;
  expect(verdicts).toEqual(["a: accepted", "b: accepted"]);
  expect(texts.filter((text) => text.includes("slow"))).toHaveLength(1);
  release();
  await until("the others are checked", () => verdicts.length === 5);
  await checks.close();
});

test.each<[what: string, outcome: CheckOutcome, why: string]>([
  ["exceeds the limits", { kind: "exceeded" }, "HAProxy needs too much time or memory for it"],
  ["is not accepted", { kind: "refused", complaints: [{ message: "?" }] }, "HAProxy does not accept it"],
])("of many sections, the one that %s is found", async (_, outcome, why) => {
  const { texts, verdicts, checks, add } = setUp((text) => (text.includes("bad") ? outcome : accepted));
  const names = Array.from({ length: 64 }, (_, index) => (index === 40 ? "bad" : `good-${index}`));
  await Promise.all(names.map((name, index) => add(`p${index % 3}`, name).ended));
  expect(verdicts.filter((each) => !each.endsWith(": accepted"))).toEqual([
    expect.stringContaining(`bad: ${why}`),
  ]);
  expect(verdicts).toHaveLength(64);
  expect(texts.length).toBeLessThan(20);
  await checks.close();
});

test("a section that HAProxy names by its line is refused at once", async () => {
  const refused: CheckOutcome = { kind: "refused", complaints: [{ line: 3, message: "?" }] };
  const { texts, verdicts, checks, add } = setUp((text) => (text.includes("bad") ? refused : accepted));
  const busy = add("p", "busy");
  await Promise.all([busy, add("p", "good"), add("p", "bad")].map(({ ended }) => ended));
  expect([...verdicts].sort()).toEqual([
    "bad: HAProxy does not accept it",
    "busy: accepted",
    "good: accepted",
  ]);
  expect(texts.length).toBeLessThan(5);
  await checks.close();
});

test("a complaint about what all share is no tenant's; a version that is replaced gets no verdict", async () => {
  const refused: CheckOutcome = { kind: "refused", complaints: [{ line: 1, message: "?" }] };
  const { texts, verdicts, replaced, checks, add } = setUp(() => refused);
  add("p", "a");
  await until("it is checked", () => texts.length === 1);
  replaced.add(add("p", "b").held);
  await checks.close();
  expect(verdicts).toEqual([]);
});
