/** The character classes of RE2: the named ones in `[:…:]` (ASCII only), and those of Unicode in `\p{…}`. */
const posixClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  ascii: /./s,
  blank: /[\t ]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  perlspace: /[\t\n\f\r ]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t\n\v\f\r ]/,
  upper: /[A-Z]/,
  word: /[0-9A-Za-z_]/,
  xdigit: /[0-9A-Fa-f]/,
};

/** Returns a predicate for the class of that name, or undefined if the class does not exist. */
export function posixClass(name: string): ((code: number) => boolean) | undefined {
  const pattern = Object.hasOwn(posixClasses, name) ? posixClasses[name] : undefined;
  return pattern && ((code) => code < 128 && pattern.test(String.fromCharCode(code)));
}

/** The classes that exist, by name: a pattern may name one a hundred times. */
const knownClasses = new Map<string, (code: number) => boolean>([["Any", () => true]]);

/** A general category (`L`, `Lu`) or a script (`Greek`) of Unicode. */
export function unicodeClass(name: string): ((code: number) => boolean) | undefined {
  const known = knownClasses.get(name);
  if (known !== undefined) return known;
  for (const property of ["gc", "sc"]) {
    try {
      const pattern = new RegExp(`^\\p{${property}=${name}}$`, "u");
      const test = (code: number) => pattern.test(String.fromCodePoint(code));
      knownClasses.set(name, test);
      return test;
    } catch {
      // Not a category; possibly a script.
    }
  }
  return undefined;
}
