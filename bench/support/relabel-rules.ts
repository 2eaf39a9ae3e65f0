/** Five usual relabelling rules, as a policy has them, which leave a series of the load about as long as it was. */
export const fiveRules = [
  { sourceLabels: ["__name__"], targetLabel: "__name__", replacement: "app_$1" },
  { sourceLabels: ["job", "instance"], targetLabel: "instance", regex: "(.+);(.+):.*", replacement: "$2" },
  { sourceLabels: ["__name__"], regex: "go_.*", action: "drop" },
  { regex: "container", action: "labeldrop" },
  { sourceLabels: ["instance"], targetLabel: "shard", modulus: 16, action: "hashmod" },
];
