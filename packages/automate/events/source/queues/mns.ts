import { createHash, createHmac } from 'node:crypto';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem } from '../../spec/spec-problem.ts';
import { sendRequest } from '../../wire/http-request.ts';
import { bodyOf, eventData } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';

export interface MnsSpec {
  readonly queue?: string;
  readonly endpoint?: string;
  readonly accessKey?: KeySelector;
  readonly secretKey?: KeySelector;
  readonly jsonBody?: boolean;
}

const waitSeconds = 1;
const contentType = 'text/xml;charset=utf-8';

export function mnsProblem({ queue, endpoint }: MnsSpec): SpecProblem | undefined {
  if (!queue) return missing('queue', 'must specify queue name');
  return endpoint ? undefined : missing('endpoint', 'must specify endpoint');
}

/** Takes messages of a queue of Alibaba Cloud MNS. */
export const listen: Listen<MnsSpec> = async (context, ready) => {
  const { spec, signal } = context;
  ready();
  while (!signal.aborted) {
    const { status, body } = await call(context, 'GET', `/queues/${spec.queue}/messages?waitseconds=${waitSeconds}`);
    if (status === 404 && body.includes('MessageNotExist')) continue;
    if (status !== 200) throw new Error(`MNS answered ${status}: ${element(body, 'Message')}`);
    const text = Buffer.from(element(body, 'MessageBody'), 'base64');
    try {
      await context.dispatch(
        eventData({ messageId: element(body, 'MessageId'), body: bodyOf(text, spec.jsonBody) }, undefined),
      );
    } catch (error) {
      context.failed(error);
      continue;
    }
    const handle = encodeURIComponent(element(body, 'ReceiptHandle'));
    await call(context, 'DELETE', `/queues/${spec.queue}/messages?ReceiptHandle=${handle}`);
  }
};

async function call({ spec, keys, signal, clock }: SourceContext<MnsSpec>, method: string, resource: string) {
  const { endpoint = '', accessKey, secretKey } = spec;
  const base = endpoint.includes('://') ? endpoint : `http://${endpoint}`;
  const date = new Date(clock.now()).toUTCString();
  const version = 'x-mns-version:2015-06-06';
  const md5 = createHash('md5').update('').digest('base64');
  const text = [method, md5, contentType, date, version, resource].join('\n');
  const secret = secretKey ? (await keys.secret(secretKey)).trim() : '';
  const signature = createHmac('sha1', secret).update(text).digest('base64');
  const id = accessKey ? (await keys.secret(accessKey)).trim() : '';
  return sendRequest({
    url: `${base.replace(/\/$/, '')}${resource}`,
    method,
    headers: [
      ['Content-MD5', md5],
      ['Content-Type', contentType],
      ['Date', date],
      ['x-mns-version', '2015-06-06'],
      ['Authorization', `MNS ${id}:${signature}`],
    ],
    timeout: 40_000,
    signal,
  });
}

const entities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
]);

function element(xml: string, name: string): string {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return '';
  return xml
    .slice(start + name.length + 2, end)
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => entities.get(entity) ?? '');
}
