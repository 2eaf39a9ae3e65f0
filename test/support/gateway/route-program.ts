import type {
  BackendTarget,
  ProgramMatch,
  ProgramRule,
  Redirect,
  RouteProgram,
} from "../../../src/platform/routing/route-program.ts";

/** What a test says of a rule; the rest is as the controllers make it without filters. */
export type RuleParts = Partial<Omit<ProgramRule, "action">> & {
  readonly matches?: readonly Partial<ProgramMatch>[];
} & ({ readonly backend: BackendTarget } | { readonly redirect: Redirect } | { readonly respond: number });

let programs = 0;

/** A program with these rules, tried in their order. */
export function programOf(rules: readonly RuleParts[], more: Partial<RouteProgram> = {}): RouteProgram {
  programs++;
  const gateway = `00000000-0000-4000-8000-${programs.toString(16).padStart(12, "0")}`;
  return {
    gateway,
    plane: { type: "project", name: "web", uid: "web-uid", organization: "acme" },
    namespace: "default",
    name: `proxy-${programs}`,
    listeners: ["http", "https"],
    matches: rules.flatMap(({ matches = [{}] }, rule) => matches.map((match) => matchOf(match, rule))),
    rules: rules.map(ruleOf),
    ownRanges: [],
    ...more,
  };
}

function matchOf(match: Partial<ProgramMatch>, rule: number): ProgramMatch {
  return { path: { type: "PathPrefix", value: "/" }, headers: [], queryParams: [], rule, ...match };
}

function ruleOf({ matches: _, ...rule }: RuleParts): ProgramRule {
  const { backend, redirect, respond, ...rest } = rule as RuleParts & {
    backend?: BackendTarget;
    redirect?: Redirect;
    respond?: number;
  };
  const common = { requestHeaders: [], responseHeaders: [], ...rest };
  if (backend !== undefined) return { ...common, action: { type: "forward", backend } };
  if (redirect !== undefined) return { ...common, action: { type: "redirect", redirect } };
  return { ...common, action: { type: "respond", status: respond ?? 500 } };
}
