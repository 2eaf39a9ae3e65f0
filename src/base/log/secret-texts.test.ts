import fc from "fast-check";
import { expect, test } from "vitest";
import { SecretTexts } from "./secret-texts.ts";

function masked(text: string, ...secrets: string[]): string {
  const texts = new SecretTexts(1_000_000);
  for (const secret of secrets) texts.add(secret);
  return texts.mask(text);
}

const long = Array.from({ length: 25 }, (_, index) => String(1_000 + index)).join("");

test.each<[text: string, secrets: string[], expected: string]>([
  ["nothing is known", [], "nothing is known"],
  ["say hunter22!", ["hunter22"], "say ***!"],
  ["hunter22", ["hunter22"], "***"],
  ["xhunter22x", ["hunter22"], "x***x"],
  ["hunter22hunter22 and hunter22", ["hunter22"], "*** and ***"],
  ["the longest counts: hunter22-long", ["hunter22", "hunter22-long"], "the longest counts: ***"],
  ["overlapping: aaaabbbbccccdddd", ["aaaabbbbcccc", "bbbbccccdddd"], "overlapping: ***"],
  ["one inside of another: aaaabbbbccccdddd", ["aaaabbbbccccdddd", "bbbbcccc"], "one inside of another: ***"],
  // Short texts match as whole words only; the shortest are never masked.
  ["key=abcd, abcde, xabcd, abcd_ abcd", ["abcd"], "key=***, abcde, xabcd, abcd_ ***"],
  ["ab abc", ["ab", "abc"], "ab abc"],
  ["größe größer", ["größe"], "*** größer"],
  [`a ${long} b`, [long], "a *** b"],
  [`cut off: ${long.slice(0, 40)}`, [long], `cut off: ***${long.slice(31, 40)}`],
  [`only its end: ${long.slice(60)}`, [long], `only its end: ${long.slice(60, 62)}***`],
])("%s", (text, secrets, expected) => {
  expect(masked(text, ...secrets)).toBe(expected);
});

test("every known text is found wherever it stands, and what holds none stays as it is", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "ä", '"', "\\", "😀"), maxLength: 40 });
  const secret = fc.string({
    unit: fc.constantFrom("a", "b", "ä", '"', "\\", "😀"),
    minLength: 8,
    maxLength: 90,
  });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 5 }), text, text, (secrets, before, after) => {
      const [first = ""] = secrets;
      const result = masked(before + first + after, ...secrets);
      expect(result).toContain("***");
      for (const each of secrets) if (!"***".includes(each)) expect(result).not.toContain(each);
      const other = "none of them";
      expect(masked(other, ...secrets)).toBe(other);
    }),
  );
});

test("a text is known until everybody who added it has removed it", () => {
  const texts = new SecretTexts(10);
  const [one, other] = [texts.add("hunter22"), texts.add("hunter22")];
  texts.remove(one);
  expect(texts.mask("hunter22")).toBe("***");
  texts.remove(other);
  expect(texts.mask("hunter22")).toBe("hunter22");
  expect(texts.size).toBe(0);
});

test("no more are remembered than allowed", () => {
  const texts = new SecretTexts(2);
  for (const secret of ["first-secret", "second-secret", "third-secret"]) texts.add(secret);
  expect(texts.mask("first-secret second-secret third-secret")).toBe("*** *** third-secret");
});

test("ten thousand secrets with one beginning cost a search no more than ten do", () => {
  const text = "Bearer eyJhbGciOiJSUzI1NiJ9.".repeat(2_000);
  const searchMs = (count: number): number => {
    const texts = new SecretTexts(1_000_000);
    for (let index = 0; index < count; index++) texts.add(`Bearer eyJhbGciOiJSUzI1NiJ9.${index}-of-them`);
    return fastestMs(() => texts.mask(text));
  };
  expect(searchMs(10_000)).toBeLessThan(10 * searchMs(10) + 20);
});

test("twice the text takes twice the time, also where it nearly holds secrets at each place", () => {
  const texts = new SecretTexts(1_000);
  for (let length = 4; length <= 200; length++) texts.add(`${"a".repeat(length - 1)}b`);
  const searchMs = (length: number): number => fastestMs(() => texts.mask("a".repeat(length)));
  searchMs(10_000);
  expect(searchMs(80_000)).toBeLessThan(16 * searchMs(20_000) + 20);
});

function fastestMs(run: () => void): number {
  return Math.min(
    ...[1, 2, 3, 4, 5].map(() => {
      const startMs = performance.now();
      run();
      return performance.now() - startMs;
    }),
  );
}
