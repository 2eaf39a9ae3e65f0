/** The import rules, checked by `npm run imports`: those of the lists of folders, no cycles, declared packages. */

const { order, products } = require("./.folders.cjs");

/** Files of an entry of a list. @param own for `.`: names of files */
function filesOf(folder, entry) {
  return entry === "." ? `^${folder}/[^/]+$` : `^${folder}/${entry}/`;
}

/** A rule for each two entries of a list. Tests of a folder may use what stands above it in its product. */
function orderRules([folder, entries]) {
  const pathNot = folder === "src" ? undefined : "\\.test\\.ts$";
  return entries.flatMap((upper, place) =>
    entries.slice(0, place).map((lower) => ({
      name: `${folder}: ${lower} is below ${upper}`,
      comment: `${folder} has, lowest first: ${entries.join(", ")}.`,
      severity: "error",
      from: { path: filesOf(folder, lower), ...(pathNot && { pathNot }) },
      to: { path: filesOf(folder, upper) },
    })),
  );
}

function productRule([product, others]) {
  return {
    name: `src/${product} imports only ${others.join(", ")}`,
    severity: "error",
    from: { path: `^src/${product}/` },
    to: { path: "^src/", pathNot: `^src/(${[product, ...others].join("|")})/` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-undeclared-package",
      severity: "error",
      from: { path: "^src", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    ...Object.entries(order).flatMap(orderRules),
    ...Object.entries(products).map(productRule),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".js"] },
  },
};
