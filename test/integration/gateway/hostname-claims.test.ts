import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { createHostnameClaims, maxHostnames } from "../../../src/platform/routing/hostname-claims.ts";
import { startRedis } from "../../support/servers.ts";
import { setUpAll } from "../../support/set-up.ts";

/** Claims of two daemons in one Redis. */
let connections: Redis[];

setUpAll(async ({ keep }) => {
  const { url } = await keep(startRedis());
  connections = [await keep(new Redis(url)), await keep(new Redis(url))];
});

const daemons = () => connections.map(createHostnameClaims);

test("of two daemons that claim a hostname at once, one gets it", async () => {
  const all = daemons();
  for (let round = 0; round < 50; round++) {
    const hostname = `h${round}.example`;
    const outcomes = await Promise.all(
      all.map((claims, index) => claims.claim(hostname, { project: `p${index}`, gateway: `g${index}` }, 1)),
    );
    expect([...outcomes].sort()).toEqual(["held", "taken"]);
    const winner = outcomes.indexOf("held");
    expect(await all[0]!.of([hostname, "free.example"])).toEqual([
      { project: `p${winner}`, gateway: `g${winner}`, checkedMs: 1 },
      undefined,
    ]);
  }
});

test("only its Gateway keeps, notes and releases a hostname; a project has a limit", async () => {
  const [claims] = daemons();
  const owner = { project: "full", gateway: "full-1" };
  for (let index = 0; index < maxHostnames; index++) {
    expect(await claims!.claim(`f${index}.example.org`, owner, 5)).toBe("held");
  }
  const other = { project: "full", gateway: "full-2" };
  expect(await claims!.claim("more.example.org", other, 5)).toBe("full");
  expect(await claims!.claim("f0.example.org", owner, 6)).toBe("held");
  expect(await claims!.claim("f0.example.org", other, 6)).toBe("taken");
  await claims!.note("f0.example.org", { ...other, checkedMs: 7, lostMs: 7 });
  await claims!.release("full-2", ["f0.example.org", "f1.example.org"]);
  expect(await claims!.of(["f0.example.org"])).toEqual([{ ...owner, checkedMs: 5 }]);
  await claims!.note("f0.example.org", { ...owner, checkedMs: 8, lostMs: 7 });
  expect(await claims!.of(["f0.example.org"])).toEqual([{ ...owner, checkedMs: 8, lostMs: 7 }]);
  const held = await claims!.held("full-1");
  expect(held).toHaveLength(maxHostnames);
  await claims!.release("full-1", held.slice(0, 2));
  await claims!.release("full-1", held.slice(0, 2));
  expect(await claims!.claim("more.example.org", other, 5)).toBe("held");
  expect(await claims!.claim("most.example.org", other, 5)).toBe("held");
  expect(await claims!.claim("beyond.example.org", other, 5)).toBe("full");
  expect(await claims!.held("full-1")).toHaveLength(maxHostnames - 2);
});
