import { expect, test } from "vitest";
import { configSchema } from "../../src/app/config/schema.ts";
import { withUnits } from "../../src/app/config/units.ts";
import { defaultQuotas } from "../../src/platform/default-quotas.ts";

test("the quotas of a configuration without any are the platform's own", () => {
  expect(withUnits(configSchema.parse({ platform: {} })).platform?.quotas).toEqual(defaultQuotas);
});
