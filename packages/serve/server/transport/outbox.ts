import { type HttpResponse, write } from './http-message.ts';

/** Characters that wait for a client before what sends them waits, too. */
const mostWaiting = 64 * 1024;

/**
 * Sends texts in their order; what is put within one turn of the event loop goes out as one. A log of thousands of lines costs as many
 * writes, packets and wake-ups otherwise.
 */
export class Outbox {
  readonly #response: HttpResponse;
  #waiting = '';
  #sending: Promise<void> | undefined;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** Resolves at once, or when the client has taken what came before. */
  async put(text: string): Promise<void> {
    this.#waiting += text;
    this.#sending ??= this.#send();
    if (this.#waiting.length > mostWaiting) await this.#sending;
  }

  /** Resolves when all is written, or the client has gone. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #send(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting !== '') {
      const text = this.#waiting;
      this.#waiting = '';
      await write(this.#response, text);
    }
    this.#sending = undefined;
  }
}
