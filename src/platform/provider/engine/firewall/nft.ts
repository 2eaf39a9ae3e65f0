import { type Ended, firstLine, runProgram } from "./program.ts";

/** Runs `nft`. */
export interface Nft {
  /** Runs a script in one transaction. @throws Error with nft's words, or that says what is missing */
  run(script: string, signal: AbortSignal): Promise<void>;
  /** A table of both families as nft prints it; undefined if one is absent. @throws as {@link run} */
  list(table: string, signal: AbortSignal): Promise<string | undefined>;
}

/** @param prefix comes before the commands */
export function createNft(prefix: readonly string[] = []): Nft {
  const call = (args: readonly string[], input: string, signal: AbortSignal): Promise<Ended> =>
    runProgram([...prefix, "nft", ...args], "nftables", input, signal);
  return {
    async run(script, signal) {
      const { code, stderr } = await call(["-f", "-"], script, signal);
      if (code !== 0) throw new Error(`nft: ${firstLine(stderr)}`);
    },
    async list(table, signal) {
      let listing = "";
      for (const family of ["inet", "bridge"]) {
        const { code, stdout, stderr } = await call(["list", "table", family, table], "", signal);
        if (code !== 0 && /No such file or directory/.test(stderr)) return undefined;
        if (code !== 0) throw new Error(`nft: ${firstLine(stderr)}`);
        listing += stdout;
      }
      return listing;
    },
  };
}
