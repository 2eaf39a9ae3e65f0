/** The part of a CycloneDX 1.5 document in use. */
export interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl?: string;
    readonly hashes?: readonly unknown[];
    readonly licenses?: readonly unknown[];
  }[];
  readonly [field: string]: unknown;
}

/** Faults of the bill of materials of this name and version; its components must be exactly `expected`. */
export function sbomFaults(
  sbom: Sbom,
  product: { readonly name: string; readonly version: string },
  expected: readonly { readonly name: string; readonly version: string }[],
): string[] {
  const faults: string[] = [];
  if (sbom.bomFormat !== "CycloneDX") faults.push(`is ${sbom.bomFormat}, not CycloneDX`);
  const { name, version } = sbom.metadata.component;
  if (name !== product.name || version !== product.version) faults.push(`is of ${name} ${version}`);
  const listed = new Set(sbom.components.map((component) => `${component.name}@${component.version}`));
  const wanted = new Set(expected.map((component) => `${component.name}@${component.version}`));
  for (const key of listed) if (!wanted.has(key)) faults.push(`lists ${key}, which is not shipped`);
  for (const key of wanted) if (!listed.has(key)) faults.push(`lacks ${key}`);
  for (const { name: part, purl, hashes = [], licenses = [] } of sbom.components) {
    if (purl === undefined || hashes.length === 0 || licenses.length === 0) {
      faults.push(`tells no purl, hash or licence of ${part}`);
    }
  }
  return faults;
}
