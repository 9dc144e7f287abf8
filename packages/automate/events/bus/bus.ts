/** What is put on a bus: an event's envelope, addressed by the source and the event that it comes from. */
export interface BusMessage {
  readonly eventSourceName: string;
  readonly eventName: string;
  /** Id of the event. A message whose id came before, within the bus' window, is stored once. */
  readonly id: string;
  readonly body: string;
}

/** A message as a consumer gets it. */
export interface Delivery {
  readonly body: string;
  /** It was delivered before, and was not acknowledged. */
  readonly redelivered: boolean;
  /**
   * Resolves when the bus has taken note: it does not deliver the message to this consumer again, unless process, server or the
   * connection between them end before it is written down. It is never written down without what was put into the state
   * of a sensor before.
   */
  ack(): Promise<void>;
}

export interface ConsumerOptions {
  /** Name that the bus remembers the place of the consumer by; stable over restarts. */
  readonly durable: string;
  /** What it takes, of the messages that come after it was first made. Names may be globs where the bus allows them. */
  readonly eventSourceName: string;
  readonly eventName: string;
  /**
   * Handles one message; the next one comes after it has resolved. A message that was not acknowledged by then, or whose
   * handler rejected, comes again.
   */
  readonly onMessage: (delivery: Delivery) => Promise<void>;
  readonly onError: (error: unknown) => void;
  /**
   * Called with the reason when the server has lost what the consumer hears by, though the connection is there, and it could not be
   * made anew; with undefined once it hears again.
   */
  readonly onLost?: (reason: string | undefined) => void;
}

export interface Consumer {
  /** Resolves when no handler runs any more. The bus keeps its place. */
  close(): Promise<void>;
}

/** Durable texts by key, for what a condition waits for. */
export interface BusState {
  entries(): Promise<ReadonlyMap<string, string>>;
  put(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}

/**
 * What every event bus does. Messages of one source and event come in the order of their publication; each is delivered at
 * least once to each durable consumer, also when process or connection end in between.
 */
export interface Bus {
  /** Resolves when the message is stored as durably as the bus does; only then a source may acknowledge it. */
  publish(message: BusMessage): Promise<void>;
  /** Resolves when the consumer is known to the bus: what is published after that reaches it. */
  consume(options: ConsumerOptions): Promise<Consumer>;
  /** The state of a sensor. */
  state(sensor: string): Promise<BusState>;
  /** Forgets the place of a durable consumer. */
  forget(durable: string): Promise<void>;
  /** False while the connection is lost. */
  readonly connected: boolean;
  close(): Promise<void>;
}
