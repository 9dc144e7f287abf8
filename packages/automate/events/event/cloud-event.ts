import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { goJson } from '../json/go-json.ts';
import { parseNode } from '../json/node.ts';

/** An event as it lies on a bus: a CloudEvent 1.0. */
export interface CloudEvent {
  readonly id: string;
  /** Name of the EventSource. */
  readonly source: string;
  /** Type of the event source, such as `webhook`. */
  readonly type: string;
  /** Name of the event inside of the EventSource. */
  readonly subject: string;
  /** RFC 3339. */
  readonly time: string;
  readonly datacontenttype: string;
  /** The payload as text, JSON for every type of ours; undefined if there is none. */
  readonly data: string | undefined;
}

/** A text on the bus is no CloudEvent. */
export class EnvelopeError extends Error {}

/** 32 hexadecimal digits, as the ids of upstream. */
export function newEventId(): string {
  return randomUUID().replaceAll('-', '');
}

/** RFC 3339 with the fraction in as few digits as it needs, as Go's RFC3339Nano. */
export function eventTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');
}

/** The event as its JSON envelope, with the fields in the order of the CloudEvents SDK. */
export function encodeEvent(event: CloudEvent): string {
  const { id, source, type, subject, datacontenttype, time, data } = event;
  const context = goJson({ specversion: '1.0', id, source, type, subject, datacontenttype, time });
  if (data === undefined) return context;
  const isJson = /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(mediaType(datacontenttype));
  const body = isJson ? `"data":${data}` : `"data_base64":${JSON.stringify(Buffer.from(data).toString('base64'))}`;
  return `${context.slice(0, -1)},${body}}`;
}

/** Reads an envelope. Throws `EnvelopeError` if it is none. */
export function decodeEvent(text: string): CloudEvent {
  const fields = fieldsOf(text);
  const read = (name: string) => {
    const node = fields.get(name);
    return node?.kind === 'string' ? node.value : '';
  };
  for (const name of ['id', 'source', 'type']) if (!read(name)) throw new EnvelopeError(`the event has no ${name}`);
  const encoded = fields.get('data_base64');
  return {
    id: read('id'),
    source: read('source'),
    type: read('type'),
    subject: read('subject'),
    time: read('time'),
    datacontenttype: read('datacontenttype'),
    data: encoded ? Buffer.from(read('data_base64'), 'base64').toString('utf8') : fields.get('data')?.raw,
  };
}

function fieldsOf(text: string) {
  try {
    const node = parseNode(text);
    if (node.kind === 'object') return new Map(node.entries);
  } catch (error) {
    throw new EnvelopeError(`the event is ${(error as Error).message}`);
  }
  throw new EnvelopeError('the event is no object');
}

/** The media type without its parameters, in lower case. */
export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The context as upstream's templates and paths see it. */
export function contextJson(event: CloudEvent): string {
  const { id, source, type, datacontenttype, subject } = event;
  const seconds = new Date(event.time || 0);
  const time = Number.isNaN(seconds.getTime()) ? null : seconds.toISOString().replace(/\.\d+Z$/, 'Z');
  return goJson({ id, source, specversion: '1.0', type, datacontenttype, subject, time });
}

/** The whole event as JSON, its data in base64, as a parameter without a key takes it. */
export function wholeEventJson(event: CloudEvent): string {
  const data = event.data === undefined ? 'null' : JSON.stringify(Buffer.from(event.data).toString('base64'));
  return `{"context":${contextJson(event)},"data":${data}}`;
}
