/** Headers of a request. */
export const maxHeaders = 100;

/**
 * Removes what a request's Connection names, but for what says where the request goes and where it ends:
 * HAProxy's own rules know no names that come with a request. More names than there can be headers set
 * `txn.overnamed` instead: each costs time, and one script runs at a time.
 */
export const requestScript = `-- Written by telemetryd; changes are lost.
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
`;
