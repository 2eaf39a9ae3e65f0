import { passedMark } from "./firewall-table.ts";
import { firstLine, runProgram } from "./program.ts";

/** The rule of a provider in the chains of iptables that Docker keeps. */
export interface DockerChains {
  /** Adds it wherever Docker has such chains, if it is not there. @throws Error with iptables' words */
  add(table: string, signal: AbortSignal): Promise<void>;
  /** @throws as {@link add} */
  remove(table: string, signal: AbortSignal): Promise<void>;
}

/** The words for a chain that is not there: of iptables, of iptables on nftables, and of a kernel without IPv6. */
const noChain = /No chain|is incompatible|does not exist|not supported/;

/** Docker runs it before its own chains, and never changes what others add to it. */
const chain = "DOCKER-USER";

/**
 * Docker sets the policy of forwarding to DROP, and passes on only what it published itself, to none of its
 * other networks: ports that a network policy opens would be closed. The rule accepts what the provider's
 * table has passed, by its mark: without the table, it accepts nothing.
 *
 * @param prefix comes before the commands
 */
export function createDockerChains(prefix: readonly string[] = []): DockerChains {
  const call = async (program: string, args: readonly string[], signal: AbortSignal) =>
    await runProgram([...prefix, program, "--wait", "5", ...args], "iptables", "", signal);
  const must = async (program: string, args: readonly string[], signal: AbortSignal): Promise<void> => {
    const { code, stderr } = await call(program, args, signal);
    if (code !== 0) throw new Error(`${program}: ${firstLine(stderr)}`);
  };
  const rule = (table: string): string[] => [
    ...["-m", "mark", "--mark", `${passedMark}/${passedMark}`],
    ...["-m", "comment", "--comment", table, "-j", "ACCEPT"],
  ];
  /** The rules of the chain; undefined: Docker keeps none of this family. */
  const rules = async (program: string, signal: AbortSignal): Promise<string[] | undefined> => {
    const { code, stdout, stderr } = await call(program, ["-S", chain], signal);
    if (code === 0) return stdout.split("\n").filter((line) => line.startsWith("-A "));
    if (noChain.test(stderr)) return undefined;
    throw new Error(`${program}: ${firstLine(stderr)}`);
  };
  const isOwn = (line: string, table: string): boolean => line.split(/[ "]/).includes(table);
  const programs = ["iptables", "ip6tables"];
  return {
    async add(table, signal) {
      for (const program of programs) {
        const found = await rules(program, signal);
        if (found === undefined || found.some((line) => isOwn(line, table))) continue;
        // After what the operator refuses there, and before Docker's last rule, which returns.
        const last = found.indexOf(`-A ${chain} -j RETURN`);
        const place = last === -1 ? found.length + 1 : last + 1;
        await must(program, ["-I", chain, String(place), ...rule(table)], signal);
      }
    },
    async remove(table, signal) {
      for (const program of programs) {
        const found = await rules(program, signal);
        if (found?.some((line) => isOwn(line, table)) === true)
          await must(program, ["-D", chain, ...rule(table)], signal);
      }
    },
  };
}
