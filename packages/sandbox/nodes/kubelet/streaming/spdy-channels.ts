import type { Duplex } from 'node:stream';
import { type RemoteChannels, TerminalSizes, type Wanted } from './remote-channels.ts';
import { SpdyConnection } from './spdy-connection.ts';
import type { SpdyStream } from './spdy-stream.ts';

/** `v4.channel.k8s.io` over SPDY: a stream each, told apart by its header `streamtype`. Resolves when the client has opened all. */
export async function spdyChannels(transport: Duplex, wanted: Wanted & { tty: boolean }): Promise<RemoteChannels> {
  const streams = new Map<string, SpdyStream>();
  const expected = [
    'error',
    ...(wanted.stdin ? ['stdin'] : []),
    ...(wanted.stdout ? ['stdout'] : []),
    ...(wanted.stderr ? ['stderr'] : []),
  ];
  const sizes = new TerminalSizes();
  const opened = Promise.withResolvers<void>();
  const connection = new SpdyConnection(transport, (stream) => {
    stream.on('error', () => stream.destroy());
    const type = stream.headers.get('streamtype') ?? '';
    streams.set(type, stream);
    if (type === 'resize') stream.on('data', (chunk: Buffer) => sizes.take(chunk.toString()));
    else if (type !== 'stdin') stream.resume();
    if (expected.every((name) => streams.has(name))) opened.resolve();
  });
  await Promise.race([opened.promise, connection.closed]);
  return {
    stdin: streams.get('stdin'),
    stdout: streams.get('stdout'),
    stderr: streams.get('stderr'),
    onResize: (listener) => sizes.listen(listener),
    closed: connection.closed,
    finish: async (outcome) => {
      const error = streams.get('error');
      await new Promise<void>((resolve) => (error ? error.end(JSON.stringify(outcome), () => resolve()) : resolve()));
      for (const stream of streams.values()) if (!stream.writableEnded) stream.end();
      connection.close();
    },
  };
}
