import { expect, test } from "vitest";
import { configMapKind } from "../kinds/config-map.ts";
import { secretKind } from "../kinds/secret.ts";
import type { ChangeType } from "../store/change.ts";
import { feedChange } from "./feed.ts";
import { watchStep } from "./step.ts";

const object = (color: string, resourceVersion: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", resourceVersion, labels: { color } },
  });

function change(type: ChangeType, before: string, after: string) {
  return feedChange({
    resourceVersion: "9",
    type,
    key: "configmaps/default/a",
    json: object(after, "9"),
    previous: before === "" ? "" : object(before, "5"),
  });
}

/** The watch selects red objects. */
test.each<[string, ChangeType, string, string, string | undefined]>([
  ["added and matching", "ADDED", "", "red", "ADDED red"],
  ["added, not matching", "ADDED", "", "blue", undefined],
  ["changed, still matching", "MODIFIED", "red", "red", "MODIFIED red"],
  ["comes to match", "MODIFIED", "blue", "red", "ADDED red"],
  [
    "does not match any more: as it was, at the version of the change",
    "MODIFIED",
    "red",
    "blue",
    "DELETED red",
  ],
  ["changed, never matching", "MODIFIED", "blue", "green", undefined],
  ["deleted", "DELETED", "red", "red", "DELETED red"],
  ["deleted, not matching", "DELETED", "blue", "blue", undefined],
  ["stops to match with its deletion", "DELETED", "red", "blue", "DELETED blue"],
])("%s", (_name, type, before, after, expected) => {
  const filter = {
    prefix: "configmaps/default/",
    kind: configMapKind,
    matches: ({ metadata }: { metadata: { labels?: Record<string, string> } }) =>
      metadata.labels?.["color"] === "red",
  };
  const event = watchStep(change(type, before, after), filter);
  const shown = event?.object().metadata;
  expect(event && `${event.type} ${shown?.labels?.["color"]}`).toBe(expected);
  if (event !== undefined) expect(shown?.resourceVersion).toBe("9");
});

test("without a selector every change of the collection goes on as it is", () => {
  const event = watchStep(change("MODIFIED", "red", "blue"), { prefix: "configmaps/", kind: configMapKind });
  expect(event?.type).toBe("MODIFIED");
  expect(event?.change.line().toString()).toBe(`{"type":"MODIFIED","object":${object("blue", "9")}}\n`);
});

test("changes of other collections are not seen", () => {
  expect(watchStep(change("ADDED", "", "red"), { prefix: "secrets/", kind: secretKind })).toBeUndefined();
  expect(
    watchStep(change("ADDED", "", "red"), { prefix: "configmaps/other/", kind: configMapKind }),
  ).toBeUndefined();
});

test("a kind stored as another group's is seen with its own apiVersion", () => {
  const alias = { ...configMapKind, group: "other.example", storedAs: configMapKind };
  const shared = change("MODIFIED", "red", "blue");
  const seen = watchStep(shared, { prefix: "configmaps/", kind: alias, matches: () => true });
  expect(seen?.object().apiVersion).toBe("other.example/v1");
  expect(seen?.change.previousObject()?.apiVersion).toBe("other.example/v1");
  expect(seen?.change.line().toString()).toBe(
    `{"type":"MODIFIED","object":${object("blue", "9").replace('"v1"', '"other.example/v1"')}}\n`,
  );
  // Shared by all watches of that group; the others see the stored form.
  expect(shared.servedAs(alias)).toBe(seen?.change);
  expect(shared.servedAs(configMapKind)).toBe(shared);
});
