/** How `npm run prove -- image` and `npm run prove -- package` say what they find. */

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** @throws an Error with the detail unless it holds */
export function expectThat(holds: boolean, what: string, detail = ""): void {
  if (!holds) throw new Error(`${what}${detail === "" ? "" : `:\n${detail}`}`);
  say(`ok: ${what}`);
}

/** Waits until it holds. @throws an Error after the limit, or when the program whose `end` it is ends before */
export async function until(
  holds: () => Promise<boolean>,
  what: string,
  end: Promise<unknown>,
  limitMs = 30_000,
): Promise<void> {
  let over: unknown;
  void end.then((outcome) => {
    over = outcome;
  });
  for (
    const deadlineMs = performance.now() + limitMs;
    performance.now() < deadlineMs && over === undefined;
  ) {
    if (await holds().catch(() => false)) {
      say(`ok: ${what}`);
      return;
    }
    await pause(100);
  }
  throw new Error(
    `${what}: not so${over === undefined ? ` after ${limitMs / 1_000} s` : `; it ended: ${JSON.stringify(over)}`}`,
  );
}

export function pause(ms: number): Promise<undefined> {
  return new Promise((resume) => setTimeout(() => resume(undefined), ms));
}
