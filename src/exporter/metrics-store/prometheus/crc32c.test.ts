import { expect, test } from "vitest";
import { crc32c } from "./crc32c.ts";

// RFC 3720, appendix B.4, and the published check value of "123456789".
test.each([
  ["nothing", Buffer.alloc(0), 0],
  ["the check value", Buffer.from("123456789"), 0xe3069283],
  ["32 zeroes", Buffer.alloc(32), 0x8a9136aa],
  ["32 ones", Buffer.alloc(32, 0xff), 0x62a8ab43],
  ["0 to 31", Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
])("%s", (_, bytes, checksum) => {
  expect(crc32c(bytes)).toBe(checksum);
});

test("of a part", () => {
  expect(crc32c(Buffer.from("--123456789--"), 2, 11)).toBe(0xe3069283);
});
