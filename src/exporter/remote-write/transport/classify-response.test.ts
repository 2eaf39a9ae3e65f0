import { describe, expect, test } from "vitest";
import { MalformedResponse } from "../../../base/http/response-head.ts";
import { ProxyError } from "../../../base/http/tunnel.ts";
import { liveSecrets } from "../../../base/log/live-secrets.ts";
import { EgressBlockedError } from "../../../base/net/egress.ts";
import { type AttemptContext, classify, type Verdict } from "./classify-response.ts";
import { type PostResult, postLimits, ResponseTimeoutError } from "./post.ts";

const context: AttemptContext = {
  endpoint: "http://user@r.example/api/v1/write",
  scope: "operator",
  authenticated: true,
  nowMs: 0,
};

function response(status: number, headers: Record<string, string> = {}, body = ""): PostResult {
  return { kind: "response", status, headers, body };
}

function failure(code: string, written: boolean): PostResult {
  return { kind: "no-response", error: Object.assign(new Error(`failed with ${code}`), { code }), written };
}

function throughProxy(code: string): PostResult {
  const cause = Object.assign(new Error(`failed with ${code}`), { code });
  const error = new ProxyError("connecting", "no connection to the proxy", { cause });
  return { kind: "no-response", error, written: false };
}

function summary(verdict: Verdict): string {
  if (verdict.kind === "retry") return `retry ${verdict.reason}${verdict.responseLost ? " lost" : ""}`;
  if (verdict.kind === "aborted") return `aborted${verdict.responseLost ? " lost" : ""}`;
  return verdict.kind;
}

test("under retryOn429: false, only 429 is not tried again", () => {
  const kinds = [429, 503, 408, 425, 204, 400].map((status) => {
    return summary(classify(response(status, { "retry-after": "1" }), { ...context, retryOn429: false }));
  });
  expect(kinds).toEqual([
    ...["limited", "retry server_error", "retry request_timeout", "retry too_early", "delivered", "rejected"],
  ]);
  expect(summary(classify(response(429), context))).toBe("retry too_many_requests");
});

test("the count of samples written is read from what was taken and from what was refused", () => {
  const headers = { "x-prometheus-remote-write-samples-written": "7" };
  expect(classify(response(204, headers), context)).toEqual({ kind: "delivered", status: 204, written: 7 });
  expect(classify(response(400, headers), context)).toMatchObject({ kind: "rejected", written: 7 });
  expect(classify(response(400), context)).toMatchObject({ written: undefined });
  expect(classify(response(503, headers), context)).not.toHaveProperty("written");
});

test.each([
  ["12", undefined, 12],
  [undefined, "3", 3],
  ["12", "3", 15],
  [" 12\t", undefined, 12],
  ["123456789012345", undefined, 123_456_789_012_345],
  ["1234567890123456", undefined, undefined],
  ["12 samples", undefined, undefined],
  ["about 12", undefined, undefined],
  ["-1", "", undefined],
])("samples written: %j, histograms written: %j, in all %s", (samples, histograms, written) => {
  const headers = {
    ...(samples === undefined ? {} : { "x-prometheus-remote-write-samples-written": samples }),
    ...(histograms === undefined ? {} : { "x-prometheus-remote-write-histograms-written": histograms }),
  };
  expect(classify(response(204, headers), context)).toMatchObject({ written });
});

describe("the delivery table, by status", () => {
  test.each([
    [199, "retry invalid_answer"],
    [200, "delivered"],
    [202, "delivered"],
    [204, "delivered"],
    [299, "delivered"],
    [300, "suspended"],
    [301, "suspended"],
    [302, "suspended"],
    [304, "suspended"],
    [307, "suspended"],
    [308, "suspended"],
    [400, "rejected"],
    [401, "suspended"],
    [402, "suspended"],
    [403, "suspended"],
    [404, "suspended"],
    [405, "suspended"],
    [406, "rejected"],
    [407, "suspended"],
    [408, "retry request_timeout"],
    [409, "rejected"],
    [410, "suspended"],
    [411, "rejected"],
    [412, "rejected"],
    [413, "rejected"],
    [414, "suspended"],
    [415, "rejected"],
    [422, "rejected"],
    [425, "retry too_early"],
    [429, "retry too_many_requests"],
    [431, "suspended"],
    [451, "suspended"],
    [499, "rejected"],
    [500, "retry server_error"],
    [501, "retry server_error"],
    [502, "retry server_error lost"],
    [503, "retry server_error"],
    [504, "retry server_error lost"],
    [599, "retry server_error"],
    [600, "retry invalid_answer"],
  ])("%d: %s", (status, expected) => {
    expect(summary(classify(response(status), context))).toBe(expected);
  });
});

describe("no response", () => {
  test.each<[PostResult, string]>([
    [failure("ENOTFOUND", false), "retry dns"],
    [failure("EAI_AGAIN", false), "retry dns"],
    [failure("ECONNREFUSED", false), "retry connect"],
    [throughProxy("ENOTFOUND"), "retry dns"],
    [throughProxy("ECONNREFUSED"), "retry connect"],
    [throughProxy("DEPTH_ZERO_SELF_SIGNED_CERT"), "retry tls"],
    [failure("EHOSTUNREACH", false), "retry connect"],
    [failure("DEPTH_ZERO_SELF_SIGNED_CERT", false), "retry tls"],
    [failure("NO_CERT_", false), "retry connect"],
    [failure("ERR_TLS_CERT_ALTNAME_INVALID", false), "retry tls"],
    [failure("ERR_SSL_WRONG_VERSION_NUMBER", false), "retry tls"],
    [failure("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", true), "retry tls"],
    [failure("ECONNRESET", true), "retry connection_lost lost"],
    [failure("EPIPE", true), "retry connection_lost lost"],
    [
      { kind: "no-response", error: new MalformedResponse("no HTTP"), written: true },
      "retry invalid_answer lost",
    ],
    [
      { kind: "no-response", error: new ResponseTimeoutError("no response"), written: true },
      "retry answer_timeout lost",
    ],
    [{ kind: "aborted", written: true }, "aborted lost"],
    [{ kind: "aborted", written: false }, "aborted"],
  ])("%j: %s", (result, expected) => {
    expect(summary(classify(result, context))).toBe(expected);
  });

  test("of several addresses that were tried, the first one's error counts", () => {
    const first = Object.assign(new Error("getaddrinfo ENOTFOUND r.example"), { code: "ENOTFOUND" });
    const error = new AggregateError([first, new Error("another")]);
    expect(classify({ kind: "no-response", error, written: false }, context)).toMatchObject({
      reason: "dns",
      message: "getaddrinfo ENOTFOUND r.example",
    });
    const without = Object.assign(new AggregateError([], "none"), { code: "ENOTFOUND" });
    expect(classify({ kind: "no-response", error: without, written: false }, context)).toMatchObject({
      reason: "dns",
    });
  });
});

test.each([
  ["5", 5_000],
  ["7200", 3_600_000],
  [undefined, undefined],
])("a pause that is asked for is passed on: %s", (retryAfter, expected) => {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  for (const status of [429, 503]) {
    const verdict = classify(response(status, headers), context);
    expect(verdict.kind === "retry" && verdict.retryAfterMs).toBe(expected);
  }
});

describe("messages", () => {
  const messageOf = (result: PostResult, authenticated = true) => {
    const verdict = classify(result, { ...context, authenticated });
    return "message" in verdict ? verdict.message : "";
  };

  test.each([
    [
      "Prometheus without its flag",
      response(404, {}, "404 page not found\n"),
      "--web.enable-remote-write-receiver",
    ],
    ["a wrong password", response(401), "check the Secret"],
    ["a redirect", response(302, { location: "/login?token=abc" }), "http://***@r.example/login?token=***"],
    ["a redirect elsewhere", response(308, { location: "https://u:p@x.example/" }), "https://***@x.example/"],
    ["a redirect to nowhere", response(301), "redirects are not followed"],
    ["a redirect that is no URL", response(301, { location: "http://[" }), "redirects to http://["],
    ["a proxy", response(407), "proxy"],
    ["a bill", response(402), "settle the account"],
    ["an address that is gone", response(410), "correct the endpoint"],
    ["a long path", response(414), "make it shorter"],
    ["large headers", response(431), "raise the receiver's limit"],
    ["legal reasons", response(451), "ask its operator"],
    ["a web page", response(405), "POST"],
  ])("%s", (_, result, expected) => {
    expect(messageOf(result)).toContain(expected);
  });

  test("a long redirect is cut off, and a body of white space is not quoted", () => {
    const location = `https://h.example/${"x".repeat(9_999)}`;
    expect(messageOf(response(302, { location })).length).toBeLessThan(700);
    expect(messageOf(response(400, {}, " \n"))).toBe("400");
    expect(messageOf(response(400, {}, " a \n"))).toBe('400 "a"');
  });

  test("missing credentials are distinguished from wrong ones", () => {
    expect(messageOf(response(401), false)).toContain("the sink has none");
    expect(messageOf(response(403), false)).toContain("the sink has none");
  });

  test("the response's words are quoted on one line, without control characters or credentials", () => {
    const body = "out of order\n\u001b[31msample\u0000 from https://a:b@c/?password=x";
    expect(messageOf(response(400, {}, body))).toBe(
      '400 "out of order [31msample from https://***@c/?password=***"',
    );
  });
});

describe("a receiver that quotes a secret", () => {
  const secret = "two  spaces\tand-a-tab-in-a-secret";
  liveSecrets.hold("test", [secret]);
  const messageOf = (status: number, headers: Record<string, string>, body: string): string => {
    const verdict = classify(response(status, headers, body), context);
    return "message" in verdict ? verdict.message : "";
  };

  test("white space that the quote shortens does not hide it", () => {
    expect(messageOf(500, {}, `got ${secret}`)).toBe('500 "got ***"');
  });

  test("a quote with line breaks in it", () => {
    liveSecrets.hold("spaced", ["a spaced secret"]);
    expect(messageOf(500, {}, "got a spaced\n\n secret")).toBe('500 "got ***"');
  });

  test("at the place where the body was cut off", () => {
    for (let cut = 1; cut < secret.length; cut++) {
      const filler = `${secret} `.repeat(100).slice(0, postLimits.keptBytes - cut);
      const message = messageOf(500, {}, filler + secret.slice(0, cut));
      expect(message).not.toMatch(/two|spaces|tab|secret/);
    }
  });

  test("in the address of a redirect, also where it is cut off", () => {
    const location = `https://h/${"x".repeat(490)}/${encodeURIComponent(secret)}`;
    expect(messageOf(302, { location }, "")).not.toContain("two");
  });
});

describe("a tenant sees the kind of fault, and the operator the whole", () => {
  const cases: readonly (readonly [Error, boolean, string])[] = [
    [
      Object.assign(new Error("connect ECONNREFUSED 10.1.2.3:443"), { code: "ECONNREFUSED" }),
      false,
      "no connection to the endpoint can be made",
    ],
    [
      Object.assign(new Error("getaddrinfo ENOTFOUND store.internal"), { code: "ENOTFOUND" }),
      false,
      "the endpoint's name cannot be resolved",
    ],
    [
      Object.assign(new Error("Host: a. is not in the cert's altnames: DNS:vault.internal"), {
        code: "ERR_TLS_CERT_ALTNAME_INVALID",
      }),
      false,
      "no TLS connection to the endpoint can be made (ERR_TLS_CERT_ALTNAME_INVALID)",
    ],
    [
      new Error("the TLS files cannot be used: ENOENT /etc/telemetryd/ca.pem"),
      false,
      "no connection to the endpoint can be made",
    ],
    [
      Object.assign(new Error("read ECONNRESET 10.1.2.3:443"), { code: "ECONNRESET" }),
      true,
      "the connection was lost before the receiver's response had come",
    ],
    [
      new EgressBlockedError("store.internal: 10.1.2.3 is not a public address (private)"),
      false,
      "the endpoint must not be sent to: it leads to an address that is not a public address, or that the operator denies",
    ],
  ];
  test.each(cases)("%s", (error, written, message) => {
    const result: PostResult = { kind: "no-response", error, written };
    const own = classify(result, context);
    expect("message" in own && own.message).toContain(error.message);
    expect("detail" in own).toBe(false);
    const tenant = classify(result, { ...context, scope: "tenant" });
    expect(tenant).toMatchObject({ kind: own.kind, message, detail: "message" in own && own.message });
  });

  test("of a proxy that wants other credentials, only the operator sees its name", () => {
    const error = new ProxyError("refusal", "proxy.internal refuses: 407", { status: 407 });
    const result: PostResult = { kind: "no-response", error, written: false };
    const own = classify(result, context);
    expect(own).toMatchObject({ kind: "suspended", status: 407 });
    const detail = expect.stringContaining("proxy.internal");
    expect(own).toMatchObject({ message: detail });
    const message = "407: the proxy does not accept the operator's credentials";
    const tenant = classify(result, { ...context, scope: "tenant" });
    expect(tenant).toEqual({ kind: "suspended", status: 407, message, detail });
    const refused = new ProxyError("refusal", "refused", { status: 403 });
    expect(summary(classify({ ...result, error: refused }, context))).toBe("retry connect");
  });

  test("a limit that was exceeded says nothing of the network", () => {
    const error = new ResponseTimeoutError("no response for 30 s");
    const tenant = classify({ kind: "no-response", error, written: true }, { ...context, scope: "tenant" });
    expect(tenant).toMatchObject({ message: "no response for 30 s" });
    expect(tenant).not.toHaveProperty("detail");
  });

  test("what the receiver says is the tenant's own business", () => {
    const verdicts = (["operator", "tenant"] as const).map((scope) =>
      classify(response(400, {}, "out of order"), { ...context, scope }),
    );
    expect(verdicts[0]).toEqual(verdicts[1]);
  });
});

test("an alert of the receiver is described in words, to a tenant too, and on one line", () => {
  const code = "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED";
  const error = Object.assign(new Error("C07:error:0A:SSL routines:rec.c:1605:SSL alert number 116\n"), {
    code,
  });
  const failed: PostResult = { kind: "no-response", error, written: true };
  const words = "the server wants a client certificate";
  expect(classify(failed, context)).toMatchObject({ kind: "retry", reason: "tls", message: words });
  expect(classify(failed, { ...context, scope: "tenant" })).toMatchObject({
    message: `no TLS connection to the endpoint can be made: ${words}`,
    detail: words,
  });
});
