import { lchown, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { setUpEach } from "../../../test/support/set-up.ts";
import { makeOwnFolder, shortFolder, socketFolder } from "./socket-folder.ts";

let directory: string;
const uid = process.getuid?.() ?? 0;

setUpEach(async ({ newFolder }) => {
  directory = await newFolder("sockets");
});

test("sockets are in the state directory where their path fits", () => {
  expect(socketFolder("/var/lib/telemetryd", "gateway")).toBe("/var/lib/telemetryd/gateway");
});

test("a state directory with a long path gets a short folder of its own", () => {
  const long = join("/tmp", "x".repeat(80));
  const folder = socketFolder(long, "gateway");
  expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(90);
  expect([folder, shortFolder(`${long}y`)]).toEqual([shortFolder(long), expect.not.stringContaining(folder)]);
});

test("a folder is created for this user only, and accepted from then on", async () => {
  const folder = join(directory, "state", "gateway");
  await makeOwnFolder(folder);
  await makeOwnFolder(folder);
  const { mode, uid: owner } = await stat(folder);
  expect([mode & 0o777, owner]).toEqual([0o700, uid]);
});

test("a folder of another user is refused", async () => {
  await expect(makeOwnFolder(directory, uid + 1)).rejects.toMatchObject({
    code: "STATE_UNUSABLE",
    message: expect.stringContaining(`${directory} belongs to another user (uid ${uid}, not ${uid + 1})`),
  });
});

test.runIf(uid === 0)("another user's link to a folder of this user is refused", async () => {
  const link = join(directory, "link");
  await symlink(directory, link);
  await lchown(link, 1_000, 1_000);
  await expect(makeOwnFolder(link)).rejects.toThrow("link belongs to another user (uid 1000, not 0)");
});

test("a folder that cannot be created is named", async () => {
  const file = join(directory, "file");
  await writeFile(file, "");
  const folder = join(file, "gateway");
  await expect(makeOwnFolder(folder)).rejects.toMatchObject({
    code: "STATE_UNUSABLE",
    message: `the folder ${folder} cannot be created`,
  });
});
