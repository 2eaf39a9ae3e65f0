import { expect, test } from "vitest";
import type { Backlog } from "../board/backlog.ts";
import { meaningOf } from "./webhook-event.ts";

const board = { organization: "acme", number: 22 };
const site = "https://github.com/acme/site";
const backlog: Backlog = {
  meta: {
    format: 1,
    updatedAt: 7,
    readAt: 7,
    board: "b",
    boardNode: "PVT_1",
    boardVersion: "v",
    statuses: ["Planned"],
    contentId: "c",
  },
  items: [{ number: 1, title: "T", url: `${site}/issues/1`, labels: [], status: "Planned" }],
};
const acme = { organization: { login: "Acme" } };
const ofItem = (changes: object = {}, node = "PVT_1") => ({
  ...acme,
  action: "edited",
  projects_v2_item: { node_id: "PVTI_1", project_node_id: node },
  ...changes,
});
const ofInstallation = (action: string, login: string) => ({ action, installation: { account: { login } } });
const ofField = (field: object) => ofItem({ changes: { field_value: field } });
const ofIssue = (action: string, changes?: object, number = 1) => ({
  ...acme,
  action,
  issue: { html_url: `${site}/issues/${number}` },
  ...(changes === undefined ? {} : { changes }),
});

test.each<[string, string, unknown, string | undefined]>([
  ["the first delivery", "ping", { zen: "Design for failure.", hook_id: 1 }, "ping"],
  ["an item's status", "projects_v2_item", ofField({ field_name: "Status", project_number: 22 }), "change"],
  ["a field that is not shown", "projects_v2_item", ofField({ field_name: "Estimate" }), "ignored"],
  ["a field without a name", "projects_v2_item", ofField({ field_type: "single_select" }), "change"],
  ["a field of another board", "projects_v2_item", ofField({ project_number: 23 }), "ignored"],
  ["an item of another board", "projects_v2_item", ofItem({}, "PVT_2"), "ignored"],
  ["a board by an id of the older form", "projects_v2_item", ofItem({}, "MDExOlByb2plY3Q="), "change"],
  ["an item put on the board", "projects_v2_item", ofItem({ action: "created" }), "change"],
  ["an item archived", "projects_v2_item", ofItem({ action: "archived" }), "change"],
  ["an item moved within its column", "projects_v2_item", ofItem({ action: "reordered" }), "ignored"],
  ["an item elsewhere", "projects_v2_item", { ...ofItem(), organization: { login: "other" } }, "ignored"],
  ["an item of an unknown form", "projects_v2_item", { projects_v2_item: 7, changes: null }, "change"],
  ["this board", "projects_v2", { ...acme, action: "closed", projects_v2: { number: 22 } }, "change"],
  ["another board", "projects_v2", { ...acme, action: "closed", projects_v2: { number: 1 } }, "ignored"],
  ["a title", "issues", ofIssue("edited", { title: { from: "Old" } }), "change"],
  ["a text", "issues", ofIssue("edited", { body: { from: "Old" } }), "ignored"],
  ["a label", "issues", ofIssue("labeled"), "change"],
  ["a label of an issue that is not shown", "issues", ofIssue("labeled", undefined, 2), "ignored"],
  ["an assignee", "issues", ofIssue("assigned"), "ignored"],
  ["a closed issue (its status has an event)", "issues", ofIssue("closed"), "ignored"],
  ["a pull request", "pull_request", { action: "labeled", pull_request: ofIssue("").issue }, "change"],
  ["another one", "pull_request", { action: "labeled", pull_request: { html_url: "x" } }, "ignored"],
  ["a colour", "label", { action: "edited", repository: { html_url: site } }, "change"],
  ["a colour elsewhere", "label", { action: "edited", repository: { html_url: `${site}2` } }, "ignored"],
  ["a new label", "label", { action: "created", repository: { html_url: site } }, "ignored"],
  ["a renamed repository", "repository", { ...acme, action: "renamed" }, "change"],
  ["a repository made private", "repository", { ...acme, action: "privatized" }, "change"],
  ["a suspended installation", "installation", ofInstallation("suspend", "Acme"), "change"],
  ["a repository taken away", "installation_repositories", ofInstallation("removed", "acme"), "change"],
  ["an installation elsewhere", "installation", ofInstallation("deleted", "other"), "ignored"],
  ["a comment", "issue_comment", ofIssue("created"), "ignored"],
  ["an event of the future", "toString", {}, "ignored"],
  ["no event", "", {}, "ignored"],
  ["a list", "projects_v2", [], undefined],
  ["nothing", "ping", null, undefined],
])("%s (%s)", (_name, event, payload, expected) => {
  expect(meaningOf(event, payload, board, backlog)).toBe(expected);
});

test("what cannot be decided is a change while nothing is cached", () => {
  for (const payload of [ofItem({}, "PVT_2"), ofItem()]) {
    expect(meaningOf("projects_v2_item", payload, board, undefined)).toBe("change");
  }
  expect(meaningOf("issues", ofIssue("labeled", undefined, 2), board, undefined)).toBe("change");
});
