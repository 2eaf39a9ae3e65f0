import { fork } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { freePort } from "./free-port.ts";

const another = `
  const { freePort } = await import(${JSON.stringify(new URL("free-port.ts", import.meta.url).href)});
  process.on("message", () => undefined);
  process.send(await freePort({ from: 11_900, to: 11_910 }));
`;

it("a port that another process got, whose server does not listen yet, is not free until that process ends", async () => {
  const child = fork("", [], { execArgv: ["--import", "tsx", "--input-type=module", "-e", another] });
  const [theirs] = (await once(child, "message")) as [number];
  const only = { from: theirs, to: theirs + 1 };
  await expect(freePort(only)).rejects.toThrow("no free port was found");
  child.kill();
  await once(child, "exit");
  expect(await freePort(only)).toBe(theirs);
  await expect(freePort(only)).rejects.toThrow("no free port was found");
});
