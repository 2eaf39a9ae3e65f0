/**
 * The candidate that `word` was probably meant to be, or undefined when none is close: at most a third of its
 * letters differ (wrong, missing, extra, or two swapped), or only the case does.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A single letter is close to every other.
  let bestDistance = word.length < 2 ? 1 : Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** ` (did you mean "x"?)`, or the empty string; to append to a message. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  // Very long words are not typos, and the distance takes quadratic time.
  const match = word.length > 100 ? undefined : closest(word, candidates);
  return match === undefined ? "" : ` (did you mean "${match}"?)`;
}

/** The hint for an unknown name: the one probably meant, else the known names, if they are few. */
export function knownInstead(word: string, known: readonly string[]): string {
  const hint = suggestion(word, known);
  return hint !== "" || known.length === 0 || known.length > 15 ? hint : `; known here: ${known.join(", ")}`;
}

/** Optimal string alignment: Levenshtein distance with transpositions. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
