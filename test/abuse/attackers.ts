/**
 * All attackers, in a separate process, so that their resource usage is not counted as the daemon's and does
 * not delay the measurements. The first message names the target; the second ends the attacks and requests a
 * report.
 */
import { exporterAttacks } from "./hostile-exporter.ts";
import { memberAttacks } from "./hostile-member.ts";
import { startHostileReceiver } from "./hostile-receiver.ts";
import { proxyAttacks } from "./proxies.ts";
import { strangerAttacks } from "./stranger.ts";
import { Tally } from "./tally.ts";

export interface AttackOrder {
  readonly url: string;
  readonly port: number;
  readonly bearer: string;
  readonly gatewayPort: number;
  readonly backend: string;
  readonly operatorUrl: string;
}

export type AttackReport = Record<string, Record<string, number>>;

async function attack(order: AttackOrder, signal: AbortSignal): Promise<AttackReport> {
  const { url, port, bearer } = order;
  const tally = new Tally();
  const receiver = await startHostileReceiver(tally);
  const member = memberAttacks({ url, bearer, receiverPort: receiver.port }, tally, signal);
  await Promise.all([
    ...[member, exporterAttacks(order, tally, signal)],
    ...[strangerAttacks(port, tally, signal), proxyAttacks(order, tally, signal)],
  ]);
  await receiver[Symbol.asyncDispose]();
  return tally.report();
}

const end = new AbortController();
process.once("message", (order) => {
  process.once("message", () => end.abort());
  void attack(order as AttackOrder, end.signal).then((report) => {
    process.send?.(report, () => process.exit(0));
  });
});
