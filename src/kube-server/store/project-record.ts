/** Record of a project, as stored. */
export interface ProjectRecord {
  readonly uid: string;
  readonly organization: string;
}

/**
 * `isNameTaken(records, former, name, organization, nowMs)`: whether a project has the name, or it is
 * reserved for another organization.
 */
export const nameFunctions = `
local function isNameTaken(records, former, name, organization, nowMs)
  if redis.call('HEXISTS', records, name) == 1 then return true end
  local reserved = redis.call('HGET', former, name)
  if not reserved then return false end
  reserved = cjson.decode(reserved)
  return reserved.organization ~= organization and reserved.untilMs > nowMs
end
`;
