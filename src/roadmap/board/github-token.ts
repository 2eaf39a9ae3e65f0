import { readFile } from "node:fs/promises";
import { createAppAuth } from "@octokit/auth-app";
import { z } from "zod";
import { describeError } from "../../base/core/errors.ts";
import { withLimit } from "../../base/core/signals.ts";
import { liveSecrets } from "../../base/log/live-secrets.ts";
import { type BoardResult, failed } from "./board.ts";
import { githubFailure } from "./github-failure.ts";

/** GitHub credentials: a token in a file, or an App installed in the organization. */
export type GithubCredentials =
  | { readonly kind: "token"; readonly tokenFile: string }
  | {
      readonly kind: "app";
      readonly id: number | string;
      readonly installationId: number | string;
      readonly privateKeyFile: string;
    };

export interface TokenSource {
  /** The Authorization header. Files are read each time, so changes on disk take effect at once. */
  authorization(signal: AbortSignal): Promise<BoardResult<string>>;
  /** Reports that GitHub rejected the last token; the next one is fetched again. */
  refused(): void;
}

const tokenResponse = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });
/** Installation tokens live an hour; one close to expiry could expire during a refresh. */
const leastLifeMs = 10 * 60_000;
const requestLimitMs = 20_000;

export function createTokenSource(
  credentials: GithubCredentials,
  apiUrl: string,
  nowMs: () => number,
): TokenSource {
  return credentials.kind === "token"
    ? fileToken(credentials.tokenFile)
    : appToken(credentials, apiUrl, nowMs);
}

function fileToken(file: string): TokenSource {
  return {
    async authorization() {
      const text = await readSecret(file);
      return text.ok ? { ok: true, value: `bearer ${text.value}` } : text;
    },
    refused() {},
  };
}

function appToken(
  app: Extract<GithubCredentials, { kind: "app" }>,
  apiUrl: string,
  nowMs: () => number,
): TokenSource {
  let held: { readonly authorization: string; readonly untilMs: number } | undefined;
  return {
    refused() {
      held = undefined;
    },
    async authorization(signal) {
      if (held !== undefined && nowMs() < held.untilMs) return { ok: true, value: held.authorization };
      const key = await readSecret(app.privateKeyFile);
      if (!key.ok) return key;
      let jwt: string;
      try {
        const auth = createAppAuth({ appId: app.id, privateKey: key.value });
        jwt = (await auth({ type: "app" })).token;
        liveSecrets.hold("roadmap.board.app token", [jwt]);
      } catch (error) {
        return failed("unauthorized", `${app.privateKeyFile}: ${describeError(error)}`);
      }
      const result = await requestToken(app.installationId, apiUrl, jwt, nowMs(), signal);
      if (!result.ok) return result;
      const { token, expires_at } = result.value;
      liveSecrets.hold("roadmap.board token", [token]);
      held = { authorization: `bearer ${token}`, untilMs: Date.parse(expires_at) - leastLifeMs };
      return { ok: true, value: held.authorization };
    },
  };
}

async function requestToken(
  installationId: number | string,
  apiUrl: string,
  jwt: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<BoardResult<z.infer<typeof tokenResponse>>> {
  try {
    const url = `${apiUrl.replace(/\/$/, "")}/app/installations/${installationId}/access_tokens`;
    const headers = { authorization: `bearer ${jwt}`, accept: "application/vnd.github+json" };
    const { response, body } = await withLimit(signal, requestLimitMs, async (limited) => {
      const response = await fetch(url, { method: "POST", headers, signal: limited });
      return { response: response, body: await response.text() };
    });
    if (!response.ok) {
      const error = Object.assign(new Error(`the App's installation gets no token: ${body}`), {
        status: response.status,
        response: { headers: Object.fromEntries(response.headers) },
      });
      return { ok: false, failure: githubFailure(error, nowMs) };
    }
    const parsed = tokenResponse.safeParse(parseJson(body));
    return parsed.success
      ? { ok: true, value: parsed.data }
      : failed("malformed", "the response to the request for a token is none");
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, failure: githubFailure(error, nowMs) };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readSecret(file: string): Promise<BoardResult<string>> {
  try {
    const text = (await readFile(file, "utf8")).trim();
    liveSecrets.hold(`file ${file}`, text === "" ? [] : [text]);
    return text === "" ? failed("unauthorized", `${file} is empty`) : { ok: true, value: text };
  } catch (error) {
    return failed("unauthorized", `${file}: ${describeError(error)}`);
  }
}
