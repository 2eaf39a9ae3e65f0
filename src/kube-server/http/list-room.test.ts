import { expect, test } from "vitest";
import type { ListPart } from "../resources/list.ts";
import { ListRoom } from "./list-room.ts";

async function* parts(count: number): AsyncGenerator<ListPart> {
  for (let index = 0; index < count; index++) yield { resourceVersion: `${index}`, objects: [] };
}

/** A list of an organization, whose response a test ends. */
function listIn(room: ListRoom, owner: string, count = 3) {
  const ends: (() => void)[] = [];
  const list = room.hold(parts(count), owner, (end) => ends.push(end));
  const end = (): void => {
    for (const each of ends) each();
  };
  return { list, end };
}

/** Whether a list gets its next part now. */
const isServed = async (next: Promise<unknown>): Promise<boolean> =>
  await Promise.race([next.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);

test("an organization whose clients read nothing has half of the places, others have theirs", async () => {
  const room = new ListRoom(8);
  const stalled = Array.from({ length: 8 }, () => listIn(room, "evil"));
  const first = stalled.map(({ list }) => isServed(list.next()));
  expect(await Promise.all(first)).toEqual([true, true, true, true, false, false, false, false]);
  expect(await isServed(listIn(room, "acme").list.next())).toBe(true);
  expect(room.taken).toBe(5);
});

test("a place is free when its part was taken, when the list has ended and when its response is over", async () => {
  const room = new ListRoom(2);
  const whole: string[] = [];
  for await (const { resourceVersion } of listIn(room, "acme").list) whole.push(resourceVersion);
  expect([whole, room.taken]).toEqual([["0", "1", "2"], 0]);

  const left = listIn(room, "acme");
  await left.list.next();
  await left.list.return(undefined);
  expect(room.taken).toBe(0);

  const [broken, waiting] = [listIn(room, "acme"), listIn(room, "acme")];
  await broken.list.next();
  const next = waiting.list.next();
  expect([await isServed(next), room.taken]).toEqual([false, 1]);
  broken.end();
  expect([await isServed(next), room.taken]).toEqual([true, 1]);
  waiting.end();
  expect(room.taken).toBe(0);
  await expect(waiting.list.next()).rejects.toThrow("broken off");

  const [holder, gone] = [listIn(room, "acme"), listIn(room, "acme")];
  await holder.list.next();
  const never = gone.list.next();
  gone.end();
  await expect(never).rejects.toThrow("broken off");
  holder.end();
  expect(room.taken).toBe(0);
});
