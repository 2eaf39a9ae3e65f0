/**
 * Removes what a request's Connection names, but for what says where the request goes and where it ends:
 * HAProxy's own rules know no names that come with a request.
 */
export const requestScript = `-- Written by telemetryd; changes are lost.
local kept = { ["host"] = true, ["content-length"] = true, ["transfer-encoding"] = true }
core.register_action("drop-named", { "http-req" }, function(txn)
  for _, value in pairs(txn.http:req_get_headers()["connection"] or {}) do
    for name in string.gmatch(string.lower(value), "[^%s,]+") do
      if not kept[name] then txn.http:req_del_header(name) end
    end
  end
end)
`;
