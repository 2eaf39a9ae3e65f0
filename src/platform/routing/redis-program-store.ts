import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import type { ProgramReport, StoredPrograms } from "./program-store.ts";
import type { RouteProgram } from "./route-program.ts";

const prefix = `${keyPrefix}:gateway`;

const keys = {
  /** The newest version. */
  version: `${prefix}:version`,
  /** Sorted set: the newest versions that were given, each by itself. */
  given: `${prefix}:given`,
  /** Hash: uid of a Gateway to the JSON of its program. */
  programs: `${prefix}:programs`,
  /** Hash: uid of a Gateway to the JSON of its program before, until what came after it was loaded. */
  earlier: `${prefix}:earlier`,
  /** Sorted set: uid by the version of its last change, or of its removal if it has no program. */
  changes: `${prefix}:changes`,
  /** Sorted set: uid of a forgotten removal by when it was forgotten (ms). */
  forgotten: `${prefix}:forgotten`,
  /** Hash: running gateway to `<when it counts as stopped (ms)> <version it has loaded>`. */
  runners: `${prefix}:runners`,
} as const;

/** Hash: uid of a Gateway to the JSON of the runner's report. */
const reportsKey = (runner: string): string => `${prefix}:reports:${runner}`;

const aliveMs = 10_000;
/** A gateway that was held up finds its reports as they were. */
const reportsMs = 600_000;
/** A gateway that was held up still learns of a removal that the others no longer need. */
const forgottenMs = 3_600_000;
/** A gateway whose version is older than these reads all programs. */
const givenKept = 10_000;
const changesAtOnce = 200;
const changeBytesAtOnce = 2 * 2 ** 20;
const programsAtOnce = 100;
/** Characters of programs. */
const parsedAtOnce = 2 ** 20;

const nowMs = `
local function nowMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/**
 * Versions are times of Redis' clock in µs, below 2^53 until 2255: a version that a failover lost is not
 * given again, unless the clock was set back as well. Numbers of Lua become text with 14 digits only.
 */
const nextVersion = `
local function nextVersion(key, given)
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local version = string.format('%.0f', math.max(now, tonumber(redis.call('GET', key) or 0) + 1))
  redis.call('SET', key, version)
  redis.call('ZADD', given, version, version)
  redis.call('ZREMRANGEBYRANK', given, 0, -${givenKept + 1})
  return version
end
`;

/** KEYS: version, given, programs, changes, forgotten, earlier. ARGV: 1 uid, 2 JSON. Returns the version. */
const putScript = `
${nextVersion}
local before = redis.call('HGET', KEYS[3], ARGV[1])
if before == ARGV[2] then return redis.call('ZSCORE', KEYS[4], ARGV[1]) end
if before then redis.call('HSETNX', KEYS[6], ARGV[1], before) end
local version = nextVersion(KEYS[1], KEYS[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[4], version, ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
return version
`;

/** KEYS: version, given, programs, changes, earlier. ARGV: 1 uid. Returns the version of the removal, or 0. */
const removeScript = `
${nextVersion}
redis.call('HDEL', KEYS[5], ARGV[1])
if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return redis.call('ZSCORE', KEYS[4], ARGV[1]) or 0 end
local version = nextVersion(KEYS[1], KEYS[2])
redis.call('ZADD', KEYS[4], version, ARGV[1])
return version
`;

/** KEYS: programs, changes, forgotten. ARGV: 1 uid, 2 how long removals are kept (ms). */
const forgetScript = `
${nowMs}
local now = nowMs()
local isRemoval = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 and redis.call('ZSCORE', KEYS[2], ARGV[1])
if isRemoval then redis.call('ZADD', KEYS[3], 'NX', now, ARGV[1]) end
local old = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - tonumber(ARGV[2]), 'LIMIT', 0, 100)
for _, uid in ipairs(old) do
  redis.call('ZREM', KEYS[2], uid)
  redis.call('ZREM', KEYS[3], uid)
end
`;

/**
 * KEYS: version, changes, earlier. ARGV: 1 version, then uids. Returns those that have not changed since. A
 * version that does not exist is one from before the store lost its newest writes.
 */
const forgetEarlierScript = `
local version = tonumber(ARGV[1])
if version > tonumber(redis.call('GET', KEYS[1]) or 0) then return {} end
local forgotten = {}
for i = 2, #ARGV do
  if tonumber(redis.call('ZSCORE', KEYS[2], ARGV[i]) or 0) <= version then
    redis.call('HDEL', KEYS[3], ARGV[i])
    forgotten[#forgotten + 1] = ARGV[i]
  end
end
return forgotten
`;

/** KEYS: programs, changes. ARGV: 1 uid, 2 JSON. Returns the version, or 0. */
const versionOfScript = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
return redis.call('ZSCORE', KEYS[2], ARGV[1])
`;

/**
 * KEYS: version, given, programs, changes. ARGV: 1 version, 2 and 3 limits of changes and bytes. Returns the
 * version that is reached, then uid and JSON of each change; "" for a removal. Nothing if the version is
 * unknown.
 */
const changesScript = `
if ARGV[1] ~= '0' and not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return {} end
local after, most, mostBytes = '(' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local changed = redis.call('ZRANGEBYSCORE', KEYS[4], after, '+inf', 'WITHSCORES', 'LIMIT', 0, most)
local found, bytes, reached = {}, 0, nil
for i = 1, #changed, 2 do
  if bytes > mostBytes then break end
  local json = redis.call('HGET', KEYS[3], changed[i]) or ''
  bytes = bytes + #json
  reached = changed[i + 1]
  found[#found + 1] = changed[i]
  found[#found + 1] = json
end
local isAll = #found == #changed and #changed < 2 * most
if isAll then reached = redis.call('GET', KEYS[1]) or '0' end
return {reached, unpack(found)}
`;

/**
 * Returns the runners that report, each with its version. An entry that lies too far in the future is
 * from before the clock was set back.
 */
const runnersFunction = `
${nowMs}
local function runners(key, aliveMs)
  local now, alive, dead = nowMs(), {}, {}
  local entries = redis.call('HGETALL', key)
  for i = 1, #entries, 2 do
    local due, version = string.match(entries[i + 1], '^(%d+) (%d+)$')
    if tonumber(due) > now and tonumber(due) <= now + aliveMs then
      alive[#alive + 1] = entries[i]
      alive[#alive + 1] = version
    else dead[#dead + 1] = entries[i] end
  end
  return alive, dead, now
end
`;

/** KEYS: runners. ARGV: 1 how long a report counts (ms). Returns runners and their versions. */
const runnersScript = `
${runnersFunction}
local alive = runners(KEYS[1], tonumber(ARGV[1]))
return alive
`;

/**
 * KEYS: version, runners, the runner's reports. ARGV: 1 runner, 2 version, 3 and 4 lifetimes of runner and
 * reports (ms). A version that does not exist is one from before the store lost its newest writes.
 */
const heartbeatScript = `
${runnersFunction}
local _, dead, now = runners(KEYS[2], tonumber(ARGV[3]))
for _, runner in ipairs(dead) do redis.call('HDEL', KEYS[2], runner) end
local version = ARGV[2]
if tonumber(version) > tonumber(redis.call('GET', KEYS[1]) or 0) then version = '0' end
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', now + tonumber(ARGV[3])) .. ' ' .. version)
redis.call('PEXPIRE', KEYS[3], ARGV[4])
`;

/** KEYS: the runner's reports. ARGV: 1 lifetime (ms), then uid and JSON of each report; "" for none. */
const reportScript = `
for i = 2, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i])
  else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`;

/** A program may be large, and controllers ask for its version several times. */
const texts = new WeakMap<RouteProgram, string>();

function textOf(program: RouteProgram): string {
  const text = texts.get(program) ?? JSON.stringify(program);
  texts.set(program, text);
  return text;
}

const reportsAtOnce = 500;
const forgottenAtOnce = 500;

/** The programs of all gateways in Redis. Each function is one atomic step, except `all` and `state`. */
export function createProgramStore(redis: RedisConnection): StoredPrograms {
  const run = (script: string, names: readonly string[], args: readonly (string | number)[]) =>
    runScript(redis, script, names, args);
  const { version, given, programs, earlier, changes, forgotten, runners } = keys;
  async function* programsOf(hash: string): AsyncIterable<readonly RouteProgram[]> {
    let cursor = "0";
    do {
      const [next, flat] = await redis.hscan(hash, cursor, "COUNT", programsAtOnce);
      yield* parsedParts(flat.filter((_, index) => index % 2 === 1));
      cursor = next;
    } while (cursor !== "0");
  }

  return {
    async put(program) {
      const args = [program.gateway, textOf(program)];
      return Number(await run(putScript, [version, given, programs, changes, forgotten, earlier], args));
    },
    async remove(gateway) {
      return Number(await run(removeScript, [version, given, programs, changes, earlier], [gateway]));
    },
    async forget(gateway) {
      await run(forgetScript, [programs, changes, forgotten], [gateway, forgottenMs]);
    },
    async versionOf(program) {
      const args = [program.gateway, textOf(program)];
      const found = Number(await run(versionOfScript, [programs, changes], args));
      return found === 0 ? undefined : found;
    },
    async state(gateway, wanted) {
      const alive = (await run(runnersScript, [runners], [aliveMs])) as string[];
      const names = alive.filter((_, index) => index % 2 === 0);
      const loaded = alive.filter((_, index) => index % 2 === 1).map(Number);
      const reports = await Promise.all(names.map((name) => redis.hget(reportsKey(name), gateway)));
      return {
        running: names.length,
        isLoaded: names.length > 0 && loaded.every((each) => each >= wanted),
        reports: reports.flatMap((json) => (json === null ? [] : [JSON.parse(json) as ProgramReport])),
      };
    },
    async running() {
      return ((await run(runnersScript, [runners], [aliveMs])) as string[]).length / 2;
    },
    async version() {
      return Number((await redis.get(version)) ?? 0);
    },
    all: () => programsOf(programs),
    earlier: () => programsOf(earlier),
    async forgetEarlier(gateways, loaded) {
      const done: string[] = [];
      for (let first = 0; first < gateways.length; first += forgottenAtOnce) {
        const args = [loaded, ...gateways.slice(first, first + forgottenAtOnce)];
        done.push(...((await run(forgetEarlierScript, [version, changes, earlier], args)) as string[]));
      }
      return done;
    },
    async changesAfter(after) {
      const args = [after, changesAtOnce, changeBytesAtOnce];
      const names = [version, given, programs, changes];
      const [reached, ...flat] = (await run(changesScript, names, args)) as string[];
      if (reached === undefined) return undefined;
      const changed: RouteProgram[] = [];
      const removed: string[] = [];
      for (let index = 0; index < flat.length; index += 2) {
        const [uid = "", json = ""] = flat.slice(index, index + 2);
        if (json === "") removed.push(uid);
        else changed.push(JSON.parse(json) as RouteProgram);
      }
      return { version: Number(reached), programs: changed, removed };
    },
    async heartbeat(runner, loaded) {
      const args = [runner, loaded, aliveMs, reportsMs];
      await run(heartbeatScript, [version, runners, reportsKey(runner)], args);
    },
    async report(runner, reports) {
      const all = [...reports].map(([gateway, report]) => [gateway, report && JSON.stringify(report)]);
      for (let first = 0; first < all.length; first += reportsAtOnce) {
        const some = all.slice(first, first + reportsAtOnce).flatMap(([uid = "", json = ""]) => [uid, json]);
        await run(reportScript, [reportsKey(runner)], [reportsMs, ...some]);
      }
    },
    async forgetReports(runner) {
      await redis.unlink(reportsKey(runner));
    },
    async leave(runner) {
      await redis.hdel(runners, runner);
      await redis.unlink(reportsKey(runner));
    },
  };
}

/** Programs by their JSON, in parts that are parsed without holding up the event loop. */
async function* parsedParts(texts: readonly string[]): AsyncIterable<readonly RouteProgram[]> {
  let part: RouteProgram[] = [];
  let characters = 0;
  for (const text of texts) {
    part.push(JSON.parse(text) as RouteProgram);
    characters += text.length;
    if (characters < parsedAtOnce) continue;
    yield part;
    part = [];
    characters = 0;
    await yieldToEventLoop();
  }
  yield part;
}
