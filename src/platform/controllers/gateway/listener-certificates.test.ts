import { expect, test } from "vitest";
import { objectOf } from "../../../../test/support/plane/admission.ts";
import type { JsonObject } from "../../../kube-server/api/object.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { Granted } from "../../kinds/gateway/reference-grant.ts";
import type { KeyPair } from "./key-pair.ts";
import { certificateRemark, certificatesAgainMs, certificatesOf } from "./listener-certificates.ts";

const day = 86_400_000;
const pairOf = (pem: string): KeyPair => ({
  ...{ pem, digest: pem, validFromMs: day, validToMs: 3 * day },
  isFor: (hostname) => hostname === "a.example",
});

const gatewayOf = (refs: readonly JsonObject[]) =>
  objectOf(gatewayKind("example"), "g", {
    spec: {
      listeners: refs.map((ref, index) => ({
        ...{ name: `l${index}`, port: 443, protocol: "HTTPS", hostname: `${index}.example` },
        tls: { certificateRefs: [{ group: "", kind: "Secret", ...ref }] },
      })),
    },
  });

const served = certificatesOf(
  gatewayOf([{ name: "s" }]),
  new Map([[objectKey(secretKind, "default", "s"), pairOf("pem")]]),
  new Granted([]),
).get("l0");

test.each<[at: number, hostname: string | undefined, remark: string | undefined]>([
  [2 * day, "a.example", undefined],
  [2 * day, undefined, undefined],
  [2 * day, "b.example", "it is not for b.example"],
  [day - 1, "a.example", "it is not valid before 1970-01-02T00:00:00Z"],
  [3 * day + 1, "b.example", "it expired at 1970-01-04T00:00:00Z"],
])("at %i, for %s: %s", (at, hostname, remark) => {
  if (served === undefined) throw new Error("the listener has none");
  const whole = remark && `Clients refuse the certificate in Secret "s": ${remark}`;
  expect(certificateRemark(served, hostname, at)).toBe(whole);
});

test.each([
  [0, day],
  [day - 500, 1_500],
  [2.5 * day, day / 2 + 1_000],
  [4 * day, undefined],
])("at %i, a look is due after %s ms", (at, dueMs) => {
  if (served === undefined) throw new Error("the listener has none");
  expect(certificatesAgainMs(new Map([["l0", served]]), at)).toBe(dueMs);
});

test("a Gateway has 16 certificates, each of which several listeners may have", () => {
  const names = Array.from({ length: 18 }, (_, index) => `s${index}`);
  const pairs = new Map(names.map((name) => [objectKey(secretKind, "default", name), pairOf(name)]));
  const found = certificatesOf(gatewayOf([...names, "s0"].map((name) => ({ name }))), pairs, new Granted([]));
  const refused = [...found].filter(([, { kind }]) => kind === "refused").map(([name]) => name);
  expect(refused).toEqual(["l16", "l17"]);
});
