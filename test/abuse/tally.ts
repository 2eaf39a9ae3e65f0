/** Outcomes of each attack: number of attempts by response code; "cut" when the connection ended first. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();

  note(attack: string, outcome: string | number): void {
    const outcomes = this.#counts.get(attack) ?? new Map<string, number>();
    this.#counts.set(attack, outcomes);
    outcomes.set(String(outcome), (outcomes.get(String(outcome)) ?? 0) + 1);
  }

  /** Runs one attack and records the code that it resolves with. */
  async attempt(attack: string, work: () => Promise<string | number>): Promise<void> {
    try {
      this.note(attack, await work());
    } catch {
      this.note(attack, "cut");
    }
  }

  /** One object per attack, ready to be sent to another process. */
  report(): Record<string, Record<string, number>> {
    return Object.fromEntries(
      [...this.#counts].map(([attack, counts]) => [attack, Object.fromEntries(counts)]),
    );
  }
}
