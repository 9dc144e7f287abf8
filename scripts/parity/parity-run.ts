import { difference, isSame, isUnstable, type Printed, renderByHelm, renderHere } from './rendering.ts';

/** Something to render both ways. */
export interface ParityCase {
  /** For people: what is rendered, and with what. */
  readonly name: string;
  readonly args: readonly string[];
}

const batchSize = 60;

/** Compares renders and counts what it sees. */
export class ParityRun {
  readonly counts = { passed: 0, failed: 0, skipped: 0 };
  readonly #helm: string;
  readonly #folder: string;

  constructor(helm: string, folder: string) {
    this.#helm = helm;
    this.#folder = folder;
  }

  /** Renders one case both ways; what differs is printed. Resolves to both results. */
  async compare({ name, args }: ParityCase): Promise<{ readonly real: Printed; readonly ours: Printed }> {
    const [real, ours] = await Promise.all([
      renderByHelm(this.#helm, args, this.#folder),
      renderHere(args, this.#folder),
    ]);
    if (isUnstable(real)) this.counts.skipped++;
    else if (isSame(real, ours)) this.counts.passed++;
    else if (await this.#isRandom(args, real)) this.counts.skipped++;
    else this.fail(name, difference(real, ours));
    return { real, ours };
  }

  /** Go walks over maps in random order, which shows in warnings and in which of several errors comes first. */
  async #isRandom(args: readonly string[], real: Printed): Promise<boolean> {
    for (let i = 0; i < 4; i++) {
      const again = await renderByHelm(this.#helm, args, this.#folder);
      if (again.out !== real.out || again.error !== real.error || again.code !== real.code) return true;
    }
    return false;
  }

  fail(name: string, words: string): void {
    this.counts.failed++;
    console.log(`FAILED ${name}\n${words}`);
  }

  /**
   * Compares many cases by few renders of helm: those that render here go into charts together, and only what fails is
   * rendered one by one, at most `alone` of them. A chart that differs is cut in halves until the cause is alone.
   */
  async compareTogether<T>(
    cases: readonly T[],
    alone: number,
    chartOf: (cases: readonly T[]) => ParityCase,
  ): Promise<void> {
    const fine: T[] = [];
    const refused: T[] = [];
    for (const one of cases) {
      const { code } = await renderHere(chartOf([one]).args, this.#folder);
      (code === 0 ? fine : refused).push(one);
    }
    for (const one of refused.slice(0, alone)) await this.compare(chartOf([one]));
    for (let i = 0; i < fine.length; i += batchSize) await this.#halve(fine.slice(i, i + batchSize), chartOf);
  }

  async #halve<T>(cases: readonly T[], chartOf: (cases: readonly T[]) => ParityCase): Promise<void> {
    if (cases.length === 1) {
      await this.compare(chartOf(cases));
      return;
    }
    const { args } = chartOf(cases);
    const real = await renderByHelm(this.#helm, args, this.#folder);
    const ours = await renderHere(args, this.#folder);
    if (isSame(real, ours) && !isUnstable(real)) {
      this.counts.passed += cases.length;
      return;
    }
    const middle = cases.length >> 1;
    await this.#halve(cases.slice(0, middle), chartOf);
    await this.#halve(cases.slice(middle), chartOf);
  }
}
