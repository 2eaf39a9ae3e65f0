import { parseUrl } from "../core/url.ts";
/** The address of a Redis, as set in `redis.url`. */
export type RedisAddress =
  | { readonly kind: "single"; readonly url: string }
  /** Some nodes of a Redis Cluster, from which the others are discovered. */
  | { readonly kind: "cluster"; readonly urls: readonly string[] }
  | SentinelAddress;

/** Sentinels, which know the current primary. */
export interface SentinelAddress {
  readonly kind: "sentinel";
  readonly sentinels: readonly RedisHost[];
  /** The primary's name in the sentinels' configuration. */
  readonly primary: string;
  readonly database: number;
  /** Credentials for the primary. */
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Credentials for the sentinels. */
  readonly sentinelUsername: string | undefined;
  readonly sentinelPassword: string | undefined;
  /** Connect to both over TLS. */
  readonly isTls: boolean;
}

interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** The reason why a list of addresses is invalid, and the address at fault. */
interface RedisAddressFault {
  readonly kind: "fault";
  readonly index: number;
  readonly message: string;
}

const sentinelForm = "redis+sentinel://host:26379,host2:26379/mymaster/0";
const sentinelPort = 26_379;

/**
 * Parses the addresses of one Redis: one `redis://` or `rediss://` URL; several of them, the nodes of a
 * cluster; or sentinels, as one URL with several hosts (not in any RFC, but most clients accept it) or as one
 * URL each:
 *
 *     redis+sentinel://[user:password@]host[:port][,host[:port]...]/primary[/database]
 *       [?sentinelUsername=…&sentinelPassword=…]
 */
export function parseRedisAddress(urls: readonly string[]): RedisAddress | RedisAddressFault {
  const fault = (index: number, message: string): RedisAddressFault => ({ kind: "fault", index, message });
  const isMeantForSentinels = (url: string): boolean => /^[a-z+-]*sentinel:/i.test(url);
  if (!urls.some(isMeantForSentinels)) {
    const wrong = urls.findIndex((url) => !/^rediss?:$/.test(parseUrl(url)?.protocol ?? ""));
    if (wrong >= 0) return fault(wrong, "a redis or rediss URL such as redis://127.0.0.1:6379");
    const [first, ...others] = urls;
    if (first === undefined) return fault(0, "at least one address");
    return others.length === 0 ? { kind: "single", url: first } : { kind: "cluster", urls };
  }
  let whole: SentinelAddress | undefined;
  for (const [index, url] of urls.entries()) {
    const one = parseSentinelUrl(url);
    if (one === undefined)
      return fault(index, `sentinels and the name of their primary, such as ${sentinelForm}`);
    whole ??= { ...one, sentinels: [] };
    if (!isAlike(whole, one))
      return fault(index, "the same as the first but for its host: they are sentinels of one primary");
    whole = { ...whole, sentinels: [...whole.sentinels, ...one.sentinels] };
  }
  return whole ?? fault(0, "at least one address");
}

const sentinelUrl = /^redis(s?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(\/[^?#]*)(\?[^#]*)?$/i;
const hostAndPort = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i;

function parseSentinelUrl(url: string): SentinelAddress | undefined {
  const [, secure, userinfo = "", hosts = "", path = "", query = ""] = sentinelUrl.exec(url) ?? [];
  const sentinels = hosts.split(",").flatMap((each) => parseHost(each) ?? []);
  if (secure === undefined || sentinels.length !== hosts.split(",").length) return undefined;
  // Apart from the hosts, the address is an ordinary URL.
  const rest = parseUrl(`redis://${userinfo === "" ? "" : `${userinfo}@`}host${path}${query}`);
  if (rest === undefined) return undefined;
  const { username, password, pathname, searchParams } = rest;
  const [, primary, database] = /^\/([^/]+)(?:\/(\d{1,9})?)?$/.exec(pathname) ?? [];
  const options = [...searchParams.keys()];
  if (primary === undefined || options.some((name) => !/^sentinel(Username|Password)$/.test(name)))
    return undefined;
  try {
    return {
      kind: "sentinel",
      sentinels,
      primary: decodeURIComponent(primary),
      database: Number(database ?? 0),
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
      sentinelUsername: searchParams.get("sentinelUsername") || undefined,
      sentinelPassword: searchParams.get("sentinelPassword") || undefined,
      isTls: secure !== "",
    };
  } catch {
    return undefined;
  }
}

function parseHost(text: string): RedisHost | undefined {
  const match = hostAndPort.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? sentinelPort);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function isAlike(one: SentinelAddress, other: SentinelAddress): boolean {
  const rest = ({ sentinels: _, ...others }: SentinelAddress): string => JSON.stringify(others);
  return rest(one) === rest(other);
}
