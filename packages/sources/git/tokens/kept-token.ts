export interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** A token is renewed this long before it ends, in milliseconds. */
const renewBefore = 5 * 60_000;

/** A short-lived token: asked for once for all who want it at a time, and kept until shortly before it ends. */
export class KeptToken {
  readonly #ask: (signal: AbortSignal | undefined) => Promise<Token>;
  readonly #now: () => number;
  #token: Token | undefined;
  #asking: Promise<string> | undefined;

  /** `now` is the clock that `expires` is told in. */
  constructor(ask: (signal: AbortSignal | undefined) => Promise<Token>, now: () => number) {
    this.#ask = ask;
    this.#now = now;
  }

  async get(signal?: AbortSignal): Promise<string> {
    if (this.#token && this.#token.expires - renewBefore > this.#now()) return this.#token.value;
    this.#asking ??= this.#renew(signal).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The next question gets a new token. */
  forget(): void {
    this.#token = undefined;
  }

  async #renew(signal: AbortSignal | undefined): Promise<string> {
    this.#token = await this.#ask(signal);
    return this.#token.value;
  }
}
