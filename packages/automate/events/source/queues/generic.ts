import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem } from '../../spec/spec-problem.ts';
import { callGrpc } from '../../wire/grpc.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import type { Listen } from '../source.ts';
import { take } from './mqtt.ts';

export interface GenericSpec {
  readonly url?: string;
  readonly config?: string;
  readonly insecure?: boolean;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
  readonly authSecret?: KeySelector;
}

export function genericProblem({ url, config }: GenericSpec): SpecProblem | undefined {
  if (!url) return missing('url', "server url can't be empty", 'host:8080');
  return config ? undefined : missing('config', "config can't be empty");
}

/** Hears events of a gRPC server of the user's, `generic.Eventing`. */
export const listen: Listen<GenericSpec> = async (context, ready) => {
  const { spec, keys, signal, eventName } = context;
  const { url = '', config = '', insecure, jsonBody, metadata, authSecret } = spec;
  const target = {
    address: url,
    ...(insecure ? {} : { tls: {} }),
    ...(authSecret ? { metadata: { authorization: `Bearer ${(await keys.secret(authSecret)).trim()}` } } : {}),
  };
  const request = new Map([
    [1, eventName],
    [2, Buffer.from(config)],
  ] as [number, string | Buffer][]);
  const answers = callGrpc(target, '/generic.Eventing/StartEventSource', request, signal);
  ready();
  try {
    for await (const answer of answers)
      await take(context, () => eventData({ body: bodyOf(answer.get(2) ?? new Uint8Array(), jsonBody) }, metadata));
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  if (!signal.aborted) throw new Error('the event source server ended the stream');
};
