import { type Browser, chromium } from "playwright-core";
import { findServers } from "../servers.ts";

/** Undefined on a machine without Chromium, where tests in a browser are skipped. */
export const foundBrowser = await findServers(["chromium"], { install: false }).catch((error: unknown) => {
  if (process.env["CHROMIUM_BIN"]) throw error;
  process.stderr.write("SKIPPED: no Chromium on this machine, the pages are not tried in a browser\n");
});

export function launchBrowser(): Promise<Browser> {
  if (foundBrowser === undefined) throw new Error("there is no Chromium");
  return chromium.launch({
    executablePath: foundBrowser.chromium.path,
    env: { ...process.env, ...foundBrowser.chromium.env } as Record<string, string>,
    // In a container Chromium runs as root, where its sandbox does not work.
    args: ["--no-sandbox"],
  });
}
