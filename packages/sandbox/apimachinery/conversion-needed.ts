/** How often a request asks a converting webhook for more before it is given up. */
const ROUNDS = 30;

/** Thrown by synchronous code that comes upon objects which a webhook has to convert first. */
export class ConversionNeeded extends Error {
  /** Asks the webhook; afterwards the conversion is there until what it gives is called. */
  readonly fill: () => Promise<() => void>;

  constructor(fill: () => Promise<() => void>) {
    super('a webhook has to convert objects first');
    this.name = 'ConversionNeeded';
    this.fill = fill;
  }
}

/** Does work that may need converted objects: again from its start, after a webhook was asked. It must not have had any effect when it throws. */
export function converting<T>(work: () => T | Promise<T>): T | Promise<T> {
  try {
    const result = work();
    return result instanceof Promise ? result.catch((error: unknown) => again(error, work)) : result;
  } catch (error) {
    return again(error, work);
  }
}

async function again<T>(thrown: unknown, work: () => T | Promise<T>): Promise<T> {
  const releases: (() => void)[] = [];
  let problem = thrown;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (!(problem instanceof ConversionNeeded)) throw problem;
      releases.push(await problem.fill());
      try {
        return await work();
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  } finally {
    for (const release of releases) release();
  }
}
