/** What the operator's requests below `/shared` carry, and no others. */
export const operatorHeader = { name: "X-Scope-OrgID", value: "of-the-operator" };
