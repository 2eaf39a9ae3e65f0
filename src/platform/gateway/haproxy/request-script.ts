import { sectionHeader } from "./inner-hop.ts";

/** Headers of a request. */
export const maxHeaders = 100;

/** Body of a request that is mirrored, at most. */
export const maxMirroredBytes = 16_384;
/** How long a mirror may take for its response. */
export const mirrorMs = 10_000;
/** Copies of a project that are being sent at once, at most. */
const copiesOfProject = 32;

/** Copies that are being sent at once. @param connections of clients, at most */
export function maxCopies(connections: number): number {
  return Math.ceil(connections / 4);
}

/**
 * Removes what a request's Connection names, but for what says where the request goes and where it ends:
 * HAProxy's own rules know no names that come with a request. More names than there can be headers set
 * `txn.overnamed` instead: each costs time, and one script runs at a time.
 *
 * Sends copies of requests to mirrors.
 *
 * @param innerSocket where HAProxy takes these copies
 * @param connections of clients, at most
 */
export function requestScript(innerSocket: string, connections: number): string {
  const ofAll = maxCopies(connections);
  const ofProject = Math.min(copiesOfProject, Math.ceil(ofAll / 4));
  return `-- Written by telemetryd; changes are lost.
local kept = { ["host"] = true, ["content-length"] = true, ["transfer-encoding"] = true }
core.register_action("drop-named", { "http-req" }, function(txn)
  local headers = txn.http:req_get_headers()
  local left = ${maxHeaders}
  for _, value in pairs(headers["connection"] or {}) do
    for name in string.gmatch(string.lower(value), "[^%s,]+") do
      left = left - 1
      if left < 0 then return txn:set_var("txn.overnamed", true) end
      if headers[name] and not kept[name] then txn.http:req_del_header(name) end
    end
  end
end)

local open, all = {}, 0
local own = { ["connection"] = true, ["expect"] = true, ["${sectionHeader}"] = true }
local bodiless = { GET = true, HEAD = true, OPTIONS = true, DELETE = true }

local function send(text)
  local socket = core.tcp()
  socket:settimeout(${mirrorMs / 1_000 + 1})
  if socket:connect(${luaText(`unix@${innerSocket}`)}) and socket:send(text) then
    -- A connection that is closed before the response ends the request.
    socket:receive("*l")
  end
  socket:close()
end

-- The body, or nil if it is not there as a whole.
local function body_of(txn, method, headers)
  if headers["transfer-encoding"] then return nil end
  if not headers["content-length"] then return bodiless[method] and "" or nil end
  local length = tonumber(headers["content-length"][0])
  if length == 0 then return "" end
  if not length or length > ${maxMirroredBytes} or txn.f:req_body_len() ~= length then return nil end
  return txn.f:req_body()
end

core.register_action("mirror", { "http-req" }, function(txn, section, project)
  local before = open[project] or 0
  if before >= ${ofProject} or all >= ${ofAll} then return end
  local method, headers = txn.f:method(), txn.http:req_get_headers()
  local body = body_of(txn, method, headers)
  if not body then return end
  local lines = { method .. " " .. txn.f:pathq() .. " HTTP/1.1", "${sectionHeader}: " .. section }
  for name, values in pairs(headers) do
    -- In the order of the request; the first one is 0.
    for at = 0, own[name] and -1 or #values do lines[#lines + 1] = name .. ": " .. values[at] end
  end
  lines[#lines + 1] = "connection: close"
  -- No line may be two: HAProxy and admission see to it; this is the last place that can.
  for _, line in pairs(lines) do
    if string.find(line, "[%z\\r\\n]") then return end
  end
  if string.find(lines[1], "^%S+ %S+ HTTP/1.1$") == nil then return end
  local text = table.concat(lines, "\\r\\n") .. "\\r\\n\\r\\n" .. body
  open[project], all = before + 1, all + 1
  core.register_task(function()
    pcall(send, text)
    local left = open[project] - 1
    open[project], all = left > 0 and left or nil, all - 1
  end)
end, 2)
`;
}

function luaText(text: string): string {
  return `"${text.replace(/["\\\n\r]/g, (each) => `\\${each.charCodeAt(0).toString().padStart(3, "0")}`)}"`;
}
