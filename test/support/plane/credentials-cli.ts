import { printCredentials } from "../../../src/app/commands/platform/credentials.ts";

/** `telemetryd credentials` on its own, as a client's exec plug-in, without the rest of the program. */
const option = (name: string): string => process.argv[process.argv.indexOf(name) + 1] ?? "";

await printCredentials(
  {
    apiUrl: option("--api-url"),
    tokenFile: option("--token-file"),
    caData: option("--ca-data"),
    execInfo: process.env["KUBERNETES_EXEC_INFO"],
  },
  process.stdout,
  AbortSignal.timeout(20_000),
);
