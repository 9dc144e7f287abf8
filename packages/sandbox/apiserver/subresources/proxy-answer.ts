import type { IncomingMessage, ServerResponse } from 'node:http';
import { deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from 'node:zlib';
import { endToEnd } from '../aggregation/relay.ts';
import { type ProxiedPage, proxiedHtml, proxiedLink } from './proxy-links.ts';

/** How pages are packed whose links can be rewritten. */
const PACKINGS: Readonly<Record<string, { unpack: (bytes: Buffer) => Buffer; pack: (bytes: Buffer) => Buffer }>> = {
  '': { unpack: (bytes) => bytes, pack: (bytes) => bytes },
  gzip: { unpack: gunzipSync, pack: gzipSync },
  deflate: { unpack: inflateRawSync, pack: deflateRawSync },
};

const OF_THIS_SERVER = /^access-control-allow-(credentials|headers|methods|origin)$/;

/** Passes on an answer of what is behind a proxy: redirects and the links of pages lead through the proxy again. */
export async function answerProxied(
  answer: IncomingMessage,
  response: ServerResponse,
  page: ProxiedPage,
): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(endToEnd(answer.headers)).filter(([name]) => !OF_THIS_SERVER.test(name)),
  );
  const code = answer.statusCode ?? 502;
  answer.on('error', () => response.destroy());
  const { location, 'content-type': type = '', 'content-encoding': encoding = '' } = headers;
  const packing = /^text\/html\s*(;|$)/.test(String(type)) && !location ? PACKINGS[String(encoding)] : undefined;
  const closed = new Promise((resolve) => response.once('close', resolve));
  if (packing) {
    const chunks: Buffer[] = [];
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const html = bytes.length ? packing.pack(Buffer.from(proxiedHtml(packing.unpack(bytes).toString(), page))) : bytes;
    response.writeHead(code, bytes.length ? { ...headers, 'content-length': html.length } : headers);
    response.end(html);
  } else {
    if (location) headers.location = proxiedLink(String(location), page);
    response.writeHead(code, headers);
    response.flushHeaders();
    answer.pipe(response);
  }
  await closed;
}
