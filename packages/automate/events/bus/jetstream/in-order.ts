import { setTimeout as sleep } from 'node:timers/promises';
import type { JsMsg } from '@nats-io/jetstream';
import type { ConsumerOptions } from '../bus.ts';

/** Milliseconds between the words to the server that a message is still being handled or waits for its turn. */
const progressInterval = 5000;
const redeliveryDelay = 1000;
/** Milliseconds between the looks for what somebody else was given. */
const gapInterval = 500;
/** Milliseconds beyond the server's own time until it delivers again. */
const gapMargin = 5000;

export interface InOrderOptions extends Pick<ConsumerOptions, 'onMessage' | 'onError'> {
  /** The number of the last delivery to this consumer, whoever had it. */
  readonly delivered: number;
  /** Milliseconds after which the server delivers again what nobody spoke of. */
  readonly redeliveredAfter: number;
  /** Messages that were delivered to this consumer and not acknowledged, by the server's count. */
  readonly unacknowledged: () => Promise<number>;
  /** Sends soon, together with what else is to be sent. */
  readonly soon: (send: () => void) => void;
}

/**
 * Handles the messages of one consumer one after the other, in the order of the stream, while the server sends ahead. What a handler did not
 * acknowledge comes again before anything behind it. Where the server says that it has delivered what did not come here, to somebody who was killed or
 * over a connection that was lost, newer messages wait until it delivers that again. If it does not in its time, somebody else lives who takes messages of the
 * same consumer, and there is no order to keep.
 */
export class InOrder {
  readonly #options: InOrderOptions;
  readonly #stop = new AbortController();
  readonly #progress: NodeJS.Timeout;
  /** In the order of the stream; the first one may be in the hands of the handler. */
  readonly #held: JsMsg[] = [];
  #delivered: number;
  #last: number | undefined;
  #hasGap = false;
  #isShared = false;
  #working: Promise<void> | undefined;

  constructor(options: InOrderOptions) {
    this.#options = options;
    this.#delivered = options.delivered;
    this.#progress = setInterval(() => {
      for (const message of this.#held) message.working();
    }, progressInterval);
  }

  /** The place in the stream of what was handled last; undefined before the first. */
  get last(): number | undefined {
    return this.#last;
  }

  add(message: JsMsg): void {
    const { deliverySequence } = message.info;
    if (deliverySequence > this.#delivered + 1) this.expectOlder();
    this.#delivered = deliverySequence;
    if (!this.#held.some((other) => isSame(other, message))) this.#insert(message);
    this.#work();
  }

  /** Newer messages wait until the server has delivered here all that it counts as delivered. */
  expectOlder(): void {
    if (this.#hasGap || this.#isShared) return;
    this.#hasGap = true;
    void this.#mend();
  }

  /** Resolves when no handler runs any more; what was not handled is given back. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#progress);
    await this.#working;
    for (const message of this.#held.splice(0)) this.#options.soon(() => message.nak());
  }

  #insert(message: JsMsg): void {
    const begun = this.#working ? 1 : 0;
    let at = this.#held.length;
    while (at > begun && (this.#held[at - 1] as JsMsg).seq > message.seq) at -= 1;
    this.#held.splice(at, 0, message);
  }

  async #mend(): Promise<void> {
    const { unacknowledged, onError, redeliveredAfter } = this.#options;
    const { signal } = this.#stop;
    // what is in the hands of the handler may be acknowledged between the two counts
    await this.#working;
    const until = performance.now() + redeliveredAfter + gapMargin;
    while (!signal.aborted) {
      try {
        // what comes while the server counts may not be in its count
        const held = this.#held.length;
        if ((await unacknowledged()) <= held) break;
      } catch (error) {
        if (!signal.aborted) onError(error);
      }
      this.#isShared = performance.now() > until;
      if (this.#isShared) break;
      await sleep(gapInterval, undefined, { signal }).catch(() => undefined);
    }
    this.#hasGap = false;
    this.#work();
  }

  #work(): void {
    if (this.#working || this.#isHalted || this.#held.length === 0) return;
    this.#working = this.#handleAll().finally(() => {
      this.#working = undefined;
      this.#work();
    });
  }

  get #isHalted(): boolean {
    return this.#hasGap || this.#stop.signal.aborted;
  }

  async #handleAll(): Promise<void> {
    for (let first = this.#held[0]; first && !this.#isHalted; first = this.#held[0]) {
      if (!(await this.#handle(first))) return;
      this.#held.shift();
      this.#last = first.seq;
    }
  }

  /** True when the message was acknowledged; false when it was not and the consumer is closed. */
  async #handle(message: JsMsg): Promise<boolean> {
    const { onMessage, onError, soon } = this.#options;
    const { signal } = this.#stop;
    let isAcknowledged = false;
    const ack = async () => {
      isAcknowledged = true;
      soon(() => message.ack());
    };
    for (let isAgain = message.redelivered; ; isAgain = true) {
      try {
        await onMessage({ body: message.string(), redelivered: isAgain, ack });
      } catch (error) {
        onError(error);
      }
      if (isAcknowledged || signal.aborted) return isAcknowledged;
      await sleep(redeliveryDelay, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return false;
    }
  }
}

/** A stream that was made anew counts from its beginning: places alone do not tell messages apart. */
function isSame(a: JsMsg, b: JsMsg): boolean {
  return a.seq === b.seq && a.info.timestampNanos === b.info.timestampNanos;
}
