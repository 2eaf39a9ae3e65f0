import { expect, test } from "vitest";
import { outputFault } from "../documents/document-shell.ts";

const printed = `NAME   HOSTNAME                                               AGE
page   0d2c8d17-65bc-4666-926a-a561c7ba0991.proxy.localhost   1s
  bind '/var/lib/certificate.pem'
`;

test.each([
  ["as printed", printed, undefined],
  [
    "other identifiers, times, paths and widths",
    "x\nNAME      HOSTNAME   AGE\npage   aaaaaaaa-65bc-4666-926a-a561c7ba0000.proxy.localhost 2m10s\nbind '/tmp/a'",
    undefined,
  ],
  ["another name", printed.replace("page ", "shop "), "no line like page "],
  ["no number", printed.replace("1s", "-"), "no line like page "],
  ["more in a line", printed.replace("AGE", "AGE MORE"), "no line like NAME "],
  ["nothing", "", "no line like NAME "],
])("an output that has %s", (_, output, fault) => {
  const found = outputFault(printed, output);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});
