import "../support/leak-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fidelityCases } from "../fidelity/cases.ts";
import { projectApi } from "../fidelity/platform-api.ts";
import { replay, type SendRequest } from "../fidelity/replay.ts";
import { startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";

/** The platform responds as a Kubernetes API server does; deliberate differences are documented. */

let platform: TestPlatform;
let send: SendRequest;

beforeAll(async () => {
  platform = await startTestPlatform();
  send = await projectApi(platform, "web");
});

afterAll(() => platform.stop());

test("each case has a name of its own", () => {
  const names = fidelityCases.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(fidelityCases.map((each, index) => [each.name, each, index] as const))(
  "%s",
  async (_name, each, index) => {
    expect(await replay(each, each.platform?.expected ?? each.expected, send, `case-${index}`)).toEqual([]);
  },
);
