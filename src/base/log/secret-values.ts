import { credentialsOf, parseUrl } from "../core/url.ts";
import type { SecretValue } from "./secret-forms.ts";

const secretName = /key|token|secret|auth|passw|credential|signature|session|cookie/i;

/** The values of members (headers, variables) whose names mark them as secret; others may be any word. */
export function secretsByName(members: Readonly<Record<string, string>>): string[] {
  return Object.entries(members)
    .filter(([name]) => secretName.test(name))
    .map(([, value]) => value);
}

/** The credentials of a URL, both as written and decoded. */
export function secretsOfUrl(text: string | undefined): SecretValue[] {
  const url = text === undefined ? undefined : parseUrl(text);
  if (url === undefined || url.password === "") return [];
  const { username, password } = url;
  return [{ username, password }, credentialsOf(url)];
}
