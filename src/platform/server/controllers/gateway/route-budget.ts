import { programLimits } from "../../../routing/program-limits.ts";
import { fieldAt, objectsIn } from "../../kinds/fields.ts";
import type { KubeObject } from "../../object.ts";
import type { NewCondition } from "../conditions.ts";

/** What a route adds to the program of its gateway. */
export type RouteCost = Readonly<Record<Resource, number>>;

type Resource = keyof typeof budget;

/** Of all routes of one gateway together: what is loaded stays small, however many routes there are. */
const budget = { matches: programLimits.matches, rules: programLimits.rules };

const resources = Object.keys(budget) as Resource[];
const reasons = { matches: "TooManyMatches", rules: "TooManyRules" } as const;

/** What routes take of their gateway's budget, the oldest first. */
export class RouteBudget {
  readonly #used: Record<Resource, number> = { matches: 0, rules: 0 };

  /** Counts a route, unless it needs more than is left. @returns why it is refused, or undefined */
  take(route: KubeObject): NewCondition | undefined {
    const cost = routeCost(route);
    const short = resources.find((each) => this.#used[each] + cost[each] > budget[each]);
    if (short !== undefined) return refusal(short);
    for (const each of resources) this.#used[each] += cost[each];
    return undefined;
  }
}

function routeCost(route: KubeObject): RouteCost {
  const rules = objectsIn(fieldAt(route, ["spec", "rules"]));
  const matches = rules.reduce((sum, rule) => sum + Math.max(1, objectsIn(rule["matches"]).length), 0);
  return { matches, rules: rules.length };
}

function refusal(short: Resource): NewCondition {
  const much = `The Gateway's routes have more than ${budget[short]} ${short}; older routes come first`;
  const message = `${much}. Delete some of them, or attach this route to another Gateway`;
  return { type: "Accepted", status: "False", reason: reasons[short], message };
}
