import { GobDecoder } from '../gob/decoder.ts';
import { GobEncoder, type InterfaceValue } from '../gob/encoder.ts';
import { GobMessages } from '../gob/messages.ts';

/** What a call hands over: an interface (nil if undefined), or a basic value. */
export type CallArgument = { readonly interface: InterfaceValue | undefined } | { readonly basic: boolean | string };

/** The part of a stream that calls need. */
interface ByteStream {
  write(data: Uint8Array): void;
  onData: (data: Uint8Array) => void;
  onEnd: (error?: Error) => void;
}

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** An error that a method of the plugin answered. */
export class RpcServerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RpcServerError';
  }
}

/** The client's side of Go's net/rpc with gob, over one stream. */
export class RpcClient {
  readonly #stream: ByteStream;
  readonly #encoder = new GobEncoder();
  readonly #decoder = new GobDecoder();
  readonly #messages = new GobMessages();
  readonly #calls = new Map<number, PendingCall>();
  #sequence = 0;
  #header: { Seq?: number; Error?: string } | undefined;
  #ended: Error | undefined;

  constructor(stream: ByteStream) {
    this.#stream = stream;
    stream.onData = (data) => this.#receive(data);
    stream.onEnd = (error) => this.#end(error ?? new Error('the plugin closed the stream'));
  }

  /** Calls a method; resolves with what it answers, as its stream defines it. */
  call(method: string, argument: CallArgument): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const sequence = this.#sequence;
    this.#sequence += 1;
    try {
      const header = this.#encoder.struct('rpc.Request', { ServiceMethod: method, Seq: sequence });
      const body = this.#body(argument);
      this.#calls.set(sequence, { resolve, reject });
      this.#stream.write(Buffer.concat([header, body]));
    } catch (error) {
      reject(error);
    }
    return promise;
  }

  #body(argument: CallArgument): Uint8Array {
    if ('interface' in argument) return this.#encoder.interface(argument.interface);
    return typeof argument.basic === 'string'
      ? this.#encoder.basic('string', argument.basic)
      : this.#encoder.basic('bool', argument.basic);
  }

  #receive(data: Uint8Array): void {
    try {
      for (const message of this.#messages.push(data)) {
        const decoded = this.#decoder.message(message);
        if (decoded) this.#value(decoded.value);
      }
    } catch (error) {
      this.#end(error as Error);
    }
  }

  /** Headers and bodies come in turn. */
  #value(value: unknown): void {
    if (!this.#header) {
      this.#header = value as { Seq?: number; Error?: string };
      return;
    }
    const { Seq = 0, Error: refusal } = this.#header;
    this.#header = undefined;
    const call = this.#calls.get(Seq);
    this.#calls.delete(Seq);
    if (refusal) call?.reject(new RpcServerError(refusal));
    else call?.resolve(value);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const call of this.#calls.values()) call.reject(this.#ended);
    this.#calls.clear();
  }
}
