import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { decodeFrame, encodeFrame, type Frame, flag, frameType, headerLength } from './frame.ts';
import { MuxSession } from './session.ts';

/** The other end of a connection: the frames that came, and a way to answer. */
function peer() {
  let received: Buffer = Buffer.alloc(0);
  const connection = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      received = Buffer.concat([received, chunk]);
      done();
    },
  });
  const frames = (): (Frame & { data: string })[] => {
    const all = [];
    for (let at = 0; at < received.length; ) {
      const frame = decodeFrame(received.subarray(at));
      const size = frame.type === frameType.data ? frame.length : 0;
      all.push({ ...frame, data: received.subarray(at + headerLength, at + headerLength + size).toString() });
      at += headerLength + size;
    }
    return all;
  };
  const send = (frame: Frame, data = '') => connection.push(Buffer.concat([encodeFrame(frame), Buffer.from(data)]));
  return { connection, frames, send };
}

/** Lets what was pushed be read. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('streams are opened with odd numbers, and what comes for one is told to it alone', async () => {
  const { connection, frames, send } = peer();
  const session = new MuxSession(connection);
  const first = session.open();
  const second = session.open();
  const told: string[] = [];
  first.onData = (data) => told.push(`first ${Buffer.from(data)}`);
  second.onData = (data) => told.push(`second ${Buffer.from(data)}`);
  second.write(Buffer.from('hello'));
  send({ type: frameType.data, flags: 0, stream: 3, length: 4 }, 'back');
  await turn();
  assert.deepEqual(told, ['second back']);
  assert.deepEqual(
    frames().map(({ type, flags, stream, length, data }) => [type, flags, stream, length, data]),
    [
      [frameType.windowUpdate, flag.syn, 1, 0, ''],
      [frameType.windowUpdate, flag.syn, 3, 0, ''],
      [frameType.data, 0, 3, 5, 'hello'],
      [frameType.windowUpdate, 0, 3, 4, ''],
    ],
  );
});

test('no more is sent than the other side has room for', async () => {
  const { connection, frames, send } = peer();
  const stream = new MuxSession(connection).open();
  stream.write(Buffer.alloc(300 * 1024));
  const sent = () =>
    frames()
      .filter(({ type }) => type === frameType.data)
      .reduce((sum, { length }) => sum + length, 0);
  assert.equal(sent(), 256 * 1024);
  send({ type: frameType.windowUpdate, flags: 0, stream: stream.id, length: 256 * 1024 });
  await turn();
  assert.equal(sent(), 300 * 1024);
});

test('a ping is answered; the end of a stream and of the session is told', async () => {
  const { connection, frames, send } = peer();
  const session = new MuxSession(connection);
  const [first, second] = [session.open(), session.open()];
  const ends: string[] = [];
  first.onEnd = (error) => ends.push(`first ${error?.message}`);
  second.onEnd = (error) => ends.push(`second ${error?.message}`);
  send({ type: frameType.ping, flags: flag.syn, stream: 0, length: 7 });
  send({ type: frameType.windowUpdate, flags: flag.fin, stream: 1, length: 0 });
  await turn();
  assert.deepEqual(frames().at(-1), { type: frameType.ping, flags: flag.ack, stream: 0, length: 7, data: '' });
  send({ type: frameType.goAway, flags: 0, stream: 0, length: 0 });
  await turn();
  assert.deepEqual(ends, ['first undefined', 'second the plugin ends the session']);
  assert.throws(() => session.open(), /ends the session/);
});

test('frames of another version or beyond the window end the session', async () => {
  for (const header of [Buffer.alloc(12, 1), encodeFrame({ type: 0, flags: 0, stream: 1, length: 1 << 30 })]) {
    const { connection } = peer();
    const stream = new MuxSession(connection).open();
    const ended = new Promise<Error | undefined>((resolve) => {
      stream.onEnd = resolve;
    });
    connection.push(header);
    assert.match((await ended)?.message ?? '', /yamux of version 1|a frame of 1073741824 bytes/);
  }
});
