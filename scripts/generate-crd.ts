import { writeFileSync } from "node:fs";
import { exportPolicyCrd } from "./crd/export-policy-crd.ts";
import { printManifest } from "./crd/print-manifest.ts";

/**
 * Generates config/kubernetes/crd/exportpolicies.yaml. With a group domain (`npm run generate -- crd
 * example.com`) it prints the CRD for that domain instead: the group is telemetry.<groupDomain>, as in
 * `controlPlane.groupDomain`.
 */
const crdFile = new URL("../config/kubernetes/crd/exportpolicies.yaml", import.meta.url);

const groupDomain = process.argv[2];
if (groupDomain === undefined) writeFileSync(crdFile, printManifest(exportPolicyCrd("platformapis")));
else process.stdout.write(printManifest(exportPolicyCrd(groupDomain)));
