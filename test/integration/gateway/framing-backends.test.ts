import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findServers } from "../../../scripts/servers/find.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";

/** A request as a backend reads it; -1: its body has not ended. */
interface Read {
  readonly method: string;
  readonly url: string;
  bodyBytes: number;
  /** Entries of the gateway in Via: a request that was made of another one's body has none. */
  readonly via: number;
}

interface Backend {
  readonly host: string;
  log(): Promise<readonly Read[]>;
}

let gateway: RunningGateway;
let node: Server;
let python: ChildProcess;
let backends: readonly Backend[];

beforeAll(async () => {
  const nodeLog: Read[] = [];
  node = createServer((request, response) => {
    const { method = "", url = "", headersDistinct } = request;
    const read: Read = { method, url, bodyBytes: -1, via: headersDistinct["via"]?.length ?? 0 };
    nodeLog.push(read);
    let bytes = 0;
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
    });
    request.on("end", () => {
      read.bodyBytes = bytes;
      response.setHeader("content-length", 2).end("ok");
    });
  });
  node.listen(0, "127.0.0.1");
  await once(node, "listening");
  const { python3 } = await findServers(["python3"]);
  const script = join(import.meta.dirname, "../../support/gateway/python-backend.py");
  python = spawn(python3.path, [script], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...python3.env },
  });
  const [line] = await once(createInterface({ input: python.stdout as NodeJS.ReadableStream }), "line");
  const ports = [(node.address() as { port: number }).port, Number(line)];
  const programs = ports.map((port) => programOf([{ backend: { scheme: "http", host: "127.0.0.1", port } }]));
  gateway = await startGateway();
  await gateway.load(...programs);
  const [nodeHost = "", pythonHost = ""] = programs.map((program) => hostOf(program.gateway));
  const pythonLog = async (): Promise<Read[]> =>
    (await fetch(`http://127.0.0.1:${ports[1]}/log`)).json() as Promise<Read[]>;
  backends = [
    { host: nodeHost, log: async () => nodeLog },
    { host: pythonHost, log: pythonLog },
  ];
});

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  python?.kill();
  node?.closeAllConnections();
  node?.close();
});

interface Outcome {
  readonly statuses: readonly number[];
  readonly read: readonly Read[];
}

let sent = 0;

/** Sends messages, each with an ordinary request after it on one connection: `/after`. */
async function outcomesOf(messages: readonly string[], { host, log }: Backend): Promise<Outcome[]> {
  const before = (await log()).length;
  const ids = messages.map(() => `/${++sent}`);
  const answers = await Promise.all(
    messages.map((message, index) => {
      const after = "GET /after HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n";
      const marked = (message + after)
        .replace(" /m ", ` /m${ids[index]} `)
        .replace(" /after ", ` /after${ids[index]} `);
      return rawHttp(gateway.port, marked.replaceAll("HOST", host), { limitMs: 10_000 });
    }),
  );
  const read = (await log()).slice(before);
  // What belongs to no message is shown with the first.
  const isOf = ({ url }: Read, index: number): boolean => url.endsWith(ids[index] ?? "");
  const strays = read.filter((each) => !ids.some((_, index) => isOf(each, index)));
  return answers.map(({ text }, index) => ({
    statuses: statusesIn(text),
    read: [...(index === 0 ? strays : []), ...read.filter((each) => isOf(each, index))].map((each) => ({
      ...each,
      url: each.url.replace(/\/\d+$/, ""),
    })),
  }));
}

const head = (lines: readonly string[]): string => `${lines.join("\r\n")}\r\n\r\n`;
const post = (headers: readonly string[], body: string, version = "1.1"): string =>
  head([`POST /m HTTP/${version}`, "Host: HOST", ...headers]) + body;
const length = (value: string, body = "abc"): string => post([`Content-Length:${value}`], body);
const coding = (value: string, body = "3\r\nabc\r\n0\r\n\r\n"): string =>
  post([`Transfer-Encoding:${value}`], body);
const chunks = (body: string): string => coding(" chunked", body);
const both = (value: string, body: string): string =>
  post(["Content-Length: 3", `Transfer-Encoding:${value}`], body);

const two64 = 2n ** 64n;
const beyond = [2n ** 63n, two64 - 1n, two64, two64 + 1n, two64 + 2n, two64 + 3n, 2n * two64 + 1n]
  .concat([
    2n * two64 + 3n,
    3n * two64 + 3n,
    10n * two64 + 3n,
    10n * two64 + 10n,
    2n ** 128n + 3n,
    10n ** 18n,
  ])
  .map((value) => ` ${value}`);

/** Messages of one kind, and whether a backend gets them; with how many bytes of body. */
type Kind = readonly [name: string, bodyBytes: number | "refused", messages: readonly string[]];

const kinds: readonly Kind[] = [
  [
    "lengths of more than 18 digits",
    "refused",
    [
      ...beyond,
      ` ${"9".repeat(19)}`,
      ` ${"9".repeat(20)}`,
      ` ${"9".repeat(200)}`,
      ` ${"0".repeat(18)}3`,
      ` ${"0".repeat(40)}3`,
      ` 1${"0".repeat(30)}`,
    ].map((value) => length(value)),
  ],
  [
    "lengths of an odd form",
    "refused",
    [
      " 03",
      " 003",
      " 00",
      " +3",
      " -3",
      " -0",
      " 0x3",
      " 3.0",
      " 3e0",
      " 1_0",
      " 3 3",
      " 3;3",
      " 3;q=1",
      ' "3"',
      " '3'",
      " three",
      " NaN",
      " 3,",
      " ,3",
      " 3,4",
      " 3, 4",
      " 4,3",
      " 3\v",
      " \v3",
      " 3\f",
      " \xb3",
      " ３",
      " 3\0",
      " 3\x01",
      " (3)",
      " 3/3",
      " 3#",
      " ~3",
      "",
      " ",
      " 3\r\n 3",
      " ∞",
      " \x853",
      " 3\xa0",
    ].map((value) => length(Buffer.from(value, "utf8").toString("latin1"))),
  ],
  [
    "lengths that differ",
    "refused",
    [
      ["Content-Length: 3", "Content-Length: 4"],
      ["Content-Length: 0", "Content-Length: 3"],
      ["Content-Length: 3", "content-length: 03", "Content-Length: 4"],
      ["Content-Length: 3", `Content-Length: ${two64 + 4n}`],
      ["Content-Length: 3, 3, 4"],
    ].map((headers) => post(headers, "abc")),
  ],
  [
    "names of Content-Length that are no names",
    "refused",
    [
      "Content-Length ",
      "Content-Length\t",
      " Content-Length",
      "Content-Length\0",
      "Content Length",
      "Content-Length\v",
      "Content-Length\xa0",
      "Content-Length(1)",
      '"Content-Length"',
    ].map((name) => `${head(["POST /m HTTP/1.1", `${name}: 3`, "Host: HOST"])}abc`),
  ],
  [
    "lengths",
    3,
    [" 3", "3", "\t3", "  3", " 3 ", " 3\t", " 3, 3", " 3,3", " 0003, 3", "\r\n 3"].map((value) =>
      length(value),
    ),
  ],
  [
    "equal lengths",
    3,
    [
      post(["Content-Length: 3", "Content-Length: 3"], "abc"),
      post(["CONTENT-LENGTH: 3"], "abc"),
      post(["content-length: 3"], "abc"),
      post(["Content-Length: 3", "Connection: Content-Length"], "abc"),
      post(["Content-Length: 3", "Content_Length: 9"], "abc"),
      post(["Content-Length: 3", "X: 1\r\n Content-Length: 9"], "abc"),
    ],
  ],
  ["nothing", 0, [length(" 0", ""), post([], ""), coding(" chunked", "0\r\n\r\n")]],
  [
    "methods with a body",
    3,
    ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"].map((method) =>
      length(" 3").replace("POST", method),
    ),
  ],
  [
    "methods with chunks",
    3,
    ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"].map((method) =>
      coding(" chunked").replace("POST", method),
    ),
  ],
  ["HTTP/1.0 with a length", 3, [post(["Content-Length: 3", "Connection: keep-alive"], "abc", "1.0")]],
  [
    "HTTP/1.0 with chunks",
    "refused",
    [
      post(["Transfer-Encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n", "1.0"),
      post(["Transfer-Encoding: chunked", "Connection: keep-alive"], "0\r\n\r\n", "1.0"),
      post(["Transfer-Encoding: chunked", "Content-Length: 3", "Connection: keep-alive"], "0\r\n\r\n", "1.0"),
      post(["Transfer-Encoding: identity", "Connection: keep-alive"], "abc", "1.0"),
    ],
  ],
  [
    "codings",
    3,
    [
      " chunked",
      "chunked",
      "\tchunked",
      " chunked ",
      " chunked\t",
      " Chunked",
      " CHUNKED",
      "\r\n chunked",
    ].map((value) => coding(value)),
  ],
  [
    "odd codings",
    "refused",
    [
      " chunked, chunked",
      " gzip, chunked",
      " chunked, gzip",
      " identity, chunked",
      " chunked, identity",
      " identity",
      " chunked;q=1",
      " chunked; a=b",
      " xchunked",
      " x-chunked",
      " chunke",
      " chunkedx",
      ' "chunked"',
      " 'chunked'",
      " chun ked",
      " chunked\0",
      " \0chunked",
      " chunked\v",
      " \vchunked",
      " chunked\f",
      " trailers",
      "",
      " gzip",
      " br",
      " chunked\r\n identity",
      " chunked;",
      " chunked\x01",
      " \xa0chunked",
      " chunked\xa0",
      " CHUN\u212AED",
    ].map((value) => coding(Buffer.from(value, "utf8").toString("latin1"))),
  ],
  [
    "odd codings with a length",
    "refused",
    [
      " chunked, chunked",
      " identity",
      " xchunked",
      " chunked\v",
      " \vchunked",
      ' "chunked"',
      " chunkedx",
      " gzip",
      " chunked;q=1",
      "",
    ].map((value) => both(value, "abc")),
  ],
  [
    "two codings",
    "refused",
    [
      ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: chunked", "Transfer-Encoding: x"],
      ["Transfer-Encoding: x", "Transfer-Encoding: chunked"],
      ["Transfer-Encoding: identity", "Transfer-Encoding: chunked"],
    ].map((headers) => post(headers, "0\r\n\r\n")),
  ],
  [
    "empty codings beside the one",
    "refused",
    [
      coding(" chunked,"),
      coding(" chunked, "),
      coding(" ,chunked"),
      coding(" chunked, ,"),
      ...[
        ["Transfer-Encoding:", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding: chunked", "Transfer-Encoding:"],
        ["Transfer-Encoding: \t", "Transfer-Encoding: chunked"],
        ["Transfer-Encoding:\r\n ", "transfer-encoding: chunked"],
        ["Transfer-Encoding: ,", "Transfer-Encoding: chunked"],
      ].map((headers) => post(headers, "0\r\n\r\n")),
    ],
  ],
  [
    "names of Transfer-Encoding that are no names",
    "refused",
    [
      "Transfer-Encoding ",
      "Transfer-Encoding\t",
      " Transfer-Encoding",
      "Transfer-Encoding\0",
      "Transfer Encoding",
      "Transfer-Encoding\v",
      "Transfer-Encoding\xa0",
    ].map((name) => `${head(["POST /m HTTP/1.1", `${name}: chunked`, "Host: HOST"])}0\r\n\r\n`),
  ],
  [
    "both framings: chunks count",
    3,
    [
      both(" chunked", "3\r\nabc\r\n0\r\n\r\n"),
      both("chunked", "3\r\nabc\r\n0\r\n\r\n"),
      post(["Transfer-Encoding: chunked", "Content-Length: 100"], "3\r\nabc\r\n0\r\n\r\n"),
      post(["Transfer-Encoding: chunked", `Content-Length: ${two64 + 1n}`], "3\r\nabc\r\n0\r\n\r\n"),
      post(["Transfer-Encoding: chunked", "Content-Length: 0"], "3\r\nabc\r\n0\r\n\r\n"),
    ],
  ],
  [
    "both framings, an odd length",
    "refused",
    [
      post(["Transfer-Encoding: chunked", "Content-Length: x"], "0\r\n\r\n"),
      post(["Transfer-Encoding: chunked", "Content-Length: -1"], "0\r\n\r\n"),
    ],
  ],
  [
    "sizes of chunks",
    3,
    ["3", "03", "0000003", "3;a", "3;a=b", '3;a="b;c"', "3 ", "3\t", "3 ;a", "3;", "3; a = b"].map((size) =>
      chunks(`${size}\r\nabc\r\n0\r\n\r\n`),
    ),
  ],
  [
    "ends of chunks",
    3,
    [
      "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
      "3\r\nabc\r\n00\r\n\r\n",
      "3\r\nabc\r\n0;a=b\r\n\r\n",
      "3\r\nabc\r\n0 \r\n\r\n",
      "3\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\n",
      "3\nabc\n0\n\n",
      "3\r\nabc\r\n000000\r\n\r\n",
      "3\r\nab\r\n0\r\n\r\n",
    ].map(chunks),
  ],
  [
    "odd chunks",
    "refused",
    [
      "+3",
      "-3",
      "0x3",
      "0X3",
      " 3",
      "\t3",
      "3.0",
      "3,",
      "3_0",
      "g",
      "3h",
      "\v3",
      "3\0",
      "\xb3",
      "3\v",
      "3 3",
      "",
      "10000000000000003",
      "ffffffffffffffff",
      "1ffffffffffffffff",
      "-0",
      "three",
      '"3"',
      "3\r",
      "\r\n3",
      "3:a",
      "ffffffffffffffffff3",
      "3=a",
    ].map((size) => chunks(`${size}\r\nabc\r\n0\r\n\r\n`)),
  ],
  [
    "odd ends of chunks",
    "refused",
    [
      "3\r\nabcd\r\n0\r\n\r\n",
      "3\r\nabcXX0\r\n\r\n",
      "3\r\nabc\r0\r\n\r\n",
      "3\r\nabc0\r\n\r\n",
      "3\r\nabc\r\n0\rX\n\r\n",
    ].map(chunks),
  ],
];

test("there are more than 200 messages", () => {
  expect(new Set(kinds.flatMap(([, , messages]) => messages)).size).toBeGreaterThan(200);
});

describe("both backends agree with the gateway where a request ends", () => {
  test.each(kinds)("%s: %s", async (_, bodyBytes, messages) => {
    const [first = [], second = []] = await Promise.all(
      backends.map((backend) => outcomesOf(messages, backend)),
    );
    for (const [index, message] of messages.entries()) {
      const method = message.slice(0, message.indexOf(" "));
      const own = { method, url: "/m", bodyBytes, via: 1 };
      const after = { method: "GET", url: "/after", bodyBytes: 0, via: 1 };
      for (const outcome of [first[index], second[index]]) {
        const { statuses = [], read = [] } = outcome ?? {};
        if (bodyBytes === "refused") {
          // Chunks may be found to be malformed after the head was forwarded: such a request never ends.
          expect([message, read]).toEqual([message, read.slice(0, 1).map(() => ({ ...own, bodyBytes: -1 }))]);
          expect([message, statuses.length]).toEqual([message, 1]);
          expect([400, 422]).toContain(statuses[0]);
        } else {
          // After both framings, the connection ends.
          expect([message, read]).toEqual([message, [own, after].slice(0, Math.max(1, read.length))]);
          expect(statuses).toEqual(read.map(() => 200));
        }
      }
    }
  });

  test("an odd trailer makes no request", async () => {
    const messages = ["Content-Length: 5", "Transfer-Encoding: chunked", "no colon", " : x"].map((trailer) =>
      chunks(`3\r\nabc\r\n0\r\n${trailer}\r\n\r\n`),
    );
    for (const backend of backends) {
      // Trailers come after the body, which a backend may have by then; Node refuses some itself.
      for (const { read } of await outcomesOf(messages, backend)) {
        const own = ["/m", "/after"].slice(0, read.length);
        expect(read.map(({ url, via }) => [url, via])).toEqual(own.map((url) => [url, 1]));
      }
    }
  });
});
