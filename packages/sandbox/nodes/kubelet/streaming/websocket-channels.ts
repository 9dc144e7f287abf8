import { PassThrough, type Readable, Writable } from 'node:stream';
import type { WebSocket } from 'ws';
import { type RemoteChannels, TerminalSizes, type Wanted } from './remote-channels.ts';

const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

export const remoteCommandProtocols: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** `v4.channel.k8s.io` and `v5.channel.k8s.io`: the first byte of a message tells its channel. */
export function websocketChannels(socket: WebSocket, wanted: Wanted): RemoteChannels {
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  const sizes = new TerminalSizes();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => socket.terminate());
  socket.on('message', (data: Buffer) => {
    const [kind, which] = data;
    if (kind === channel.stdin && data.length > 1) stdin?.write(data.subarray(1));
    if (kind === channel.resize) sizes.take(data.subarray(1).toString());
    if (kind === channel.close && which === channel.stdin) stdin?.end();
  });
  void closed.then(() => stdin?.end());
  return {
    stdin: stdin as Readable | undefined,
    stdout: wanted.stdout ? sender(socket, channel.stdout) : undefined,
    stderr: wanted.stderr ? sender(socket, channel.stderr) : undefined,
    onResize: (listener) => sizes.listen(listener),
    closed,
    finish: async (outcome) => {
      await new Promise<void>((resolve) => send(socket, channel.error, Buffer.from(JSON.stringify(outcome)), resolve));
      socket.close(1000);
    },
  };
}

function sender(socket: WebSocket, number: number): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => send(socket, number, chunk, done),
  });
}

/** What is written to a client that has gone is dropped. */
function send(socket: WebSocket, number: number, chunk: Buffer, done: () => void): void {
  if (socket.readyState === socket.OPEN) socket.send(Buffer.concat([Buffer.of(number), chunk]), () => done());
  else done();
}
