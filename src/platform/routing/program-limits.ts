/** Limits of one program: each match and rule costs time at each request. */
export const programLimits = { matches: 1_024, rules: 256 } as const;
