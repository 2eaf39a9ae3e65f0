/**
 * Invalid and valid responses by RFC 9112 and RFC 9110. `whole` is delimited and leaves a reusable
 * connection, `last` is delimited and leaves none, `open` ends with the connection.
 */
export type Reading = "whole" | "last" | "open" | "malformed";

export interface ResponseCase {
  readonly name: string;
  /** Latin-1. */
  readonly text: string;
  readonly reading: Reading;
}

const status = "HTTP/1.1 200 OK";
const chunked = "Transfer-Encoding: chunked\r\n\r\n";

function named(reading: Reading, cases: Readonly<Record<string, string>>): ResponseCase[] {
  return Object.entries(cases).map(([name, text]) => ({ name, text, reading }));
}

/** A response with one header field, possibly of several lines, and a body of two bytes. */
function withField(reading: Reading, cases: Readonly<Record<string, string>>): ResponseCase[] {
  return Object.entries(cases).map(([name, field]) => ({
    name: `a field: ${name}`,
    text: `${status}\r\n${field}\r\nContent-Length: 2\r\n\r\nab`,
    reading,
  }));
}

/** A status line and no body. */
function withStatusLine(reading: Reading, lines: readonly string[]): ResponseCase[] {
  return lines.map((line) => ({
    name: `the status line ${JSON.stringify(line)}`,
    text: `${line}\r\nContent-Length: 0\r\n\r\n`,
    reading,
  }));
}

function withLength(reading: Reading, fields: readonly string[]): ResponseCase[] {
  return fields.map((field) => ({
    name: `the length ${JSON.stringify(field)}`,
    text: `${status}\r\n${field}\r\n\r\nabc`,
    reading,
  }));
}

function withChunks(reading: Reading, cases: Readonly<Record<string, string>>): ResponseCase[] {
  return Object.entries(cases).map(([name, body]) => ({
    name: `chunks: ${name}`,
    text: `${status}\r\n${chunked}${body}`,
    reading,
  }));
}

export const responseCases: readonly ResponseCase[] = [
  ...withStatusLine("whole", ["HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 404 N\u00f6\t!"]),
  ...withStatusLine("whole", ["HTTP/1.1 599 x", "HTTP/1.1 999 x"]),
  ...withStatusLine("last", ["HTTP/1.0 200 OK"]),
  ...withStatusLine("malformed", [
    ...["HTTP/1.1 099 x", "HTTP/1.1 000 x", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 -20 OK"],
    ...["HTTP/1.1 +20 OK", "HTTP/1.1 20x OK", "HTTP/1.1 200OK", "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK"],
    ...["HTTP/1.2 200 OK", "HTTP/1.10 200 OK", "HTTP/01.1 200 OK", "HTTP/2 200", "HTTP/0.9 200 OK"],
    ...["http/1.1 200 OK", " HTTP/1.1 200 OK", "HTTP /1.1 200 OK", "ICY 200 OK", "SSH-2.0-OpenSSH", "200 OK"],
    ...["HTTP/1.1 200 O\0K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\x7fK", "HTTP/1.1 200 O\x1bK"],
    ...["GET / HTTP/1.1", "HTTP/1.1 101 Switching Protocols"],
  ]),
  ...named("whole", {
    "one empty line first": `\r\n${status}\r\nContent-Length: 0\r\n\r\n`,
    "100 first": `HTTP/1.1 100 Continue\r\n\r\n${status}\r\nContent-Length: 0\r\n\r\n`,
    "103 with fields first": `HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n${status}\r\nContent-Length: 0\r\n\r\n`,
    "ten interim heads": `${"HTTP/1.1 102 x\r\n\r\n".repeat(10)}${status}\r\nContent-Length: 0\r\n\r\n`,
    "204 without a length": "HTTP/1.1 204 No Content\r\n\r\n",
    "204 with the length it has": "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
    "304 with the length of what is not sent": "HTTP/1.1 304 x\r\nContent-Length: 9\r\n\r\n",
  }),
  ...named("last", {
    "204 that announces a body": "HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n",
    "204 that announces chunks": `HTTP/1.1 204 No Content\r\n${chunked}`,
    "a length and chunks": `${status}\r\nContent-Length: 1\r\n${chunked}2\r\nab\r\n0\r\n\r\n`,
    "chunks and a length": `${status}\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    "HTTP/1.0 with chunks": `HTTP/1.0 200 OK\r\n${chunked}2\r\nab\r\n0\r\n\r\n`,
  }),
  ...named("open", {
    "neither a length nor chunks": `${status}\r\n\r\nabc`,
    "HTTP/1.0 with nothing": "HTTP/1.0 200 OK\r\n\r\nabc",
  }),
  ...named("malformed", {
    "empty lines first": `${"\r\n".repeat(3)}${status}\r\nContent-Length: 0\r\n\r\n`,
    "an empty line that is a bare LF": `\n${status}\r\nContent-Length: 0\r\n\r\n`,
    "a bare CR first": `\r${status}\r\nContent-Length: 0\r\n\r\n`,
    "a NUL first": `\0${status}\r\nContent-Length: 0\r\n\r\n`,
    "eleven interim heads": `${"HTTP/1.1 102 x\r\n\r\n".repeat(11)}${status}\r\n\r\n`,
    "an interim head with a broken field": `HTTP/1.1 100 x\r\na b: c\r\n\r\n${status}\r\n\r\n`,
    "an interim head with a broken length": `HTTP/1.1 100 x\r\nContent-Length: x\r\n\r\n${status}\r\n\r\n`,
    "a status line that ends with a bare LF": `${status}\nContent-Length: 0\r\n\r\n`,
    "a field that ends with a bare LF": `${status}\r\nContent-Length: 0\n\r\n`,
    "a head that ends with a bare LF": `${status}\r\nContent-Length: 0\r\n\n`,
    "a head of bare LFs": `${status}\nContent-Length: 0\n\n`,
    "a head that ends with CR CR LF": `${status}\r\nContent-Length: 0\r\r\n\r\n`,
    "a line of 70,000 bytes": `${status}\r\nx: ${"y".repeat(70_000)}\r\n\r\n`,
    "a head of 70,000 bytes": `${status}\r\n${`x: ${"y".repeat(96)}\r\n`.repeat(700)}\r\n`,
    "1,001 fields": `${status}\r\n${"x: y\r\n".repeat(1_001)}\r\n`,
  }),
  ...withField("whole", {
    "no value": "x:",
    "spaces and tabs around the value": "x: \t a b \t ",
    "every character of a name": "!#$%&'*+-.^_`|~09azAZ: x",
    "obs-text": "x: \x80\xa0\xff",
    "a quoted string": 'x: "a\\"b, c"',
    "a colon in the value": "x: a:b",
    "an object's own word": "__proto__: x",
    "the same name twice": "x: 1\r\nX: 2",
  }),
  ...withField("last", {
    "Connection: close": "Connection: close",
    "Connection: close among others": "Connection: upgrade\t,\t Close , x",
    "Connection: close in a second line": "Connection: keep-alive\r\nConnection: close",
  }),
  ...withField("malformed", {
    "no colon": "x",
    "no name": ": x",
    "a space before the colon": "x : y",
    "a tab before the colon": "x\t: y",
    "a space in the name": "a b: x",
    "a space before the name": " a: x",
    "obs-fold with a space": "a: b\r\n c",
    "obs-fold with a tab": "a: b\r\n\tc",
    "obs-fold and nothing in it": "a: b\r\n \r\nc: d",
    "NUL in the value": "x: a\0b",
    "NUL in the name": "a\0b: x",
    "a bare CR in the value": "x: a\rb",
    "a bare CR in the name": "a\rb: x",
    "a bare CR at the end of the value": "x: a\r\r",
    "a bare LF in the value": "x: a\nb: c",
    "a control character": "x: a\x01b",
    "vertical tab around the value": "x:\x0bb",
    "DEL in the value": "x: a\x7fb",
    "obs-text in the name": "\xe9: x",
    "a slash in the name": "a/b: x",
    "a parenthesis in the name": "a(b: x",
    "a quote in the name": '"a": x',
    "an at sign in the name": "a@b: x",
    "a brace in the name": "{a}: x",
  }),
  ...withLength("whole", ["Content-Length: 3", "content-length:3", "Content-Length: \t003 "]),
  ...withLength("whole", ["Content-Length: 3\r\nContent-Length: 3"]),
  ...withLength("malformed", [
    ...[
      "Content-Length: +3",
      "Content-Length: -3",
      "Content-Length: 3.0",
      "Content-Length: 0x3",
      "Content-Length:",
    ],
    ...[
      "Content-Length: 3, 3",
      "Content-Length: 3,4",
      "Content-Length: 3 3",
      "Content-Length: 3e0",
      "Content-Length: 3;",
    ],
    ...[
      "Content-Length: 3\r\nContent-Length: 4",
      "Content-Length: 3\r\nContent-Length: 03",
      "Content-Length: \xb3",
    ],
    ...["Content-Length: 18446744073709551619", "Content-Length: 9007199254740993", "Content-Length: 3_0"],
  ]),
  ...[
    "gzip",
    "chunked, gzip",
    "gzip, chunked",
    "chunked, chunked",
    "identity",
    "",
    "xchunked",
    "chunked;a=b",
    ",chunked",
  ].map(
    (coding): ResponseCase => ({
      name: `the coding ${JSON.stringify(coding)}`,
      text: `${status}\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
      reading: "malformed",
    }),
  ),
  ...named("malformed", {
    "chunked twice": `${status}\r\nTransfer-Encoding: chunked\r\n${chunked}0\r\n\r\n`,
    "chunked, and gzip in a second line": `${status}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n`,
  }),
  ...withChunks("whole", {
    none: "0\r\n\r\n",
    several: "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n",
    "leading zeros": "003\r\nabc\r\n000\r\n\r\n",
    "either case": "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n",
    extensions: '3;a;b=c;d="e \\" f"\r\nabc\r\n0;x\r\n\r\n',
    trailers: "3\r\nabc\r\n0\r\nDigest: x\r\nother:\r\n\r\n",
    "line ends in a chunk": "4\r\n\r\n\r\n\r\n0\r\n\r\n",
  }),
  ...withChunks("malformed", {
    "no size": "\r\nabc\r\n0\r\n\r\n",
    "an extension only": ";a\r\nabc\r\n0\r\n\r\n",
    "a plus": "+3\r\nabc\r\n0\r\n\r\n",
    "a minus": "-3\r\nabc\r\n0\r\n\r\n",
    "0x": "0x3\r\nabc\r\n0\r\n\r\n",
    "no hexadecimal digit": "g\r\nabc\r\n0\r\n\r\n",
    "a space before the size": " 3\r\nabc\r\n0\r\n\r\n",
    "a space after the size": "3 \r\nabc\r\n0\r\n\r\n",
    "a space before an extension": "3 ;a\r\nabc\r\n0\r\n\r\n",
    "an underscore": "1_0\r\n0123456789abcdef\r\n0\r\n\r\n",
    "more than 64 bits": "10000000000000003\r\nabc\r\n0\r\n\r\n",
    "13 digits": "1000000000000\r\nabc",
    "a size that ends with a bare LF": "3\nabc\r\n0\r\n\r\n",
    "a bare CR in an extension": "3;a\rb\r\nabc\r\n0\r\n\r\n",
    "a bare LF in an extension": "3;a\nabc\r\n0\r\n\r\n",
    "NUL in an extension": "3;a\0\r\nabc\r\n0\r\n\r\n",
    "an extension without a name": "3;=a\r\nabc\r\n0\r\n\r\n",
    "a quote that is not closed": '3;a="b\r\nabc\r\n0\r\n\r\n',
    "a chunk longer than its size": "3\r\nabcd\r\n0\r\n\r\n",
    "a chunk shorter than its size": "4\r\nabc\r\n0\r\n\r\n",
    "no line end after a chunk": "3\r\nabc0\r\n\r\n",
    "a bare LF after a chunk": "3\r\nabc\n0\r\n\r\n",
    "a bare CR after a chunk": "3\r\nabc\r0\r\n\r\n",
    "two line ends after a chunk": "3\r\nabc\r\n\r\n0\r\n\r\n",
    "a trailer without a colon": "0\r\nx\r\n\r\n",
    "a trailer with a bare CR": "0\r\nx: a\rb\r\n\r\n",
    "trailers that end with a bare LF": "0\r\nx: y\r\n\n",
    "trailers of 70,000 bytes": `0\r\n${`x: ${"y".repeat(96)}\r\n`.repeat(700)}\r\n`,
    "1,001 trailers": `0\r\n${"x: y\r\n".repeat(1_001)}\r\n`,
    "20,000 bytes of extensions": `3;${"x".repeat(20_000)}\r\nabc\r\n0\r\n\r\n`,
    "20,000 bytes of extensions, little by little": `${`1;${"x".repeat(99)}\r\na\r\n`.repeat(200)}0\r\n\r\n`,
  }),
];
