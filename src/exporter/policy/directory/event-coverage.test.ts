import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasEventsForAll } from "./event-coverage.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "coverage-")));
  await writeFile(join(folder, "plain.yaml"), "");
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const cases: ReadonlyArray<{
  readonly what: string;
  readonly make: () => Promise<unknown>;
  readonly covered: boolean;
}> = [
  { what: "a plain file", make: () => writeFile(join(folder, "a.yaml"), ""), covered: true },
  {
    what: "a link as Kubernetes makes it",
    make: async () => {
      await mkdir(join(folder, "..2026"));
      await writeFile(join(folder, "..2026", "a.yaml"), "");
      await symlink("..2026", join(folder, "..data"));
      await symlink("..data/a.yaml", join(folder, "a.yaml"));
    },
    covered: true,
  },
  {
    what: "a link that leads elsewhere",
    make: () => symlink("/etc/hosts", join(folder, "a.yaml")),
    covered: false,
  },
  {
    what: "a file with a second name",
    make: () => link(join(folder, "plain.yaml"), join(folder, "a.yaml")),
    covered: false,
  },
  { what: "a folder", make: () => mkdir(join(folder, "a.yaml")), covered: false },
  { what: "a name that leads nowhere", make: async () => undefined, covered: false },
];

test.each(cases)("$what: $covered", async ({ make, covered }) => {
  await make();
  expect(await hasEventsForAll(folder, [join(folder, "a.yaml")])).toBe(covered);
});

test("a directory that is reached through a link has no event when the link is led elsewhere", async () => {
  const current = join(dirname(folder), `current-${process.pid}`);
  await symlink(folder, current);
  try {
    expect(await hasEventsForAll(folder, [join(folder, "plain.yaml")])).toBe(true);
    expect(await hasEventsForAll(current, [join(current, "plain.yaml")])).toBe(false);
  } finally {
    await rm(current);
  }
});

test("file systems that others may change are not trusted", async () => {
  // proc: its files change without any event.
  expect(await hasEventsForAll("/proc/sys/kernel", [])).toBe(false);
});
