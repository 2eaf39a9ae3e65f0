import { createSocket } from "node:dgram";

/** A name server's response: addresses of either family, TXT records, an error, or none at all. */
export type NameAnswer =
  | readonly string[]
  | { readonly txt: readonly string[] }
  | "NXDOMAIN"
  | "SERVFAIL"
  | "nothing";

/** A name server on loopback (RFC 1035, UDP) with records set by a test. */
export interface NameServer extends AsyncDisposable {
  /** `address:port` */
  readonly address: string;
  /** `name type` of each query, in order. */
  readonly asked: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

const rcodes = { NXDOMAIN: 3, SERVFAIL: 2 } as const;
const typeA = 1;
const typeAaaa = 28;
const typeTxt = 16;

export async function startNameServer(
  answerTo: (name: string) => NameAnswer,
  { ttlSeconds = 60 }: { readonly ttlSeconds?: number } = {},
): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (question, { port, address }) => {
    const { name, type, end } = questionOf(question);
    asked.push(`${name} ${type === typeA ? "A" : type === typeAaaa ? "AAAA" : type}`);
    const answer = answerTo(name);
    if (answer === "nothing") return;
    const wanted = wantedOf(answer, type);
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof answer === "string" ? rcodes[answer] : 0), 2);
    for (const [at, count] of [1, wanted.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * at);
    const records = wanted.map((one) => recordOf(one, type, ttlSeconds));
    socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

function wantedOf(answer: NameAnswer, type: number): readonly string[] {
  if (typeof answer === "string") return [];
  if ("txt" in answer) return type === typeTxt ? answer.txt : [];
  return type === typeTxt ? [] : answer.filter((one) => one.includes(":") === (type === typeAaaa));
}

function questionOf(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the question's name. */
function recordOf(address: string, type: number, ttlSeconds: number): Buffer {
  const data = dataOf(address, type);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(ttlSeconds, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function dataOf(text: string, type: number): Buffer {
  if (type === typeTxt) return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  return text.includes(":") ? groupsOf(text) : Buffer.from(text.split(".").map(Number));
}

function groupsOf(address: string): Buffer {
  const [before = "", after = ""] = address.split("::");
  const [first, last] = [before, after].map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [...first!, ...Array<string>(8 - first!.length - last!.length).fill("0"), ...last!];
  return Buffer.from(groups.map((group) => group.padStart(4, "0")).join(""), "hex");
}
