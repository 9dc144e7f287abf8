import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { GobDecoder } from './decoder.ts';
import { GobEncoder } from './encoder.ts';
import { timeBytes, timeText } from './go-json.ts';
import { GobMessages } from './messages.ts';

const testdata = join(import.meta.dirname, '..', 'testdata');
const recorded = JSON.parse(readFileSync(join(testdata, 'streams.json'), 'utf8')) as Record<string, string>;
const rollout = JSON.parse(readFileSync(join(testdata, 'rollout.json'), 'utf8'));

/** The values of a stream, whose bytes come one by one. */
function decoded(bytes: Uint8Array): unknown[] {
  const messages = new GobMessages();
  const decoder = new GobDecoder();
  const values: unknown[] = [];
  for (const byte of bytes)
    for (const message of messages.push(Uint8Array.of(byte))) {
      const found = decoder.message(message);
      if (found) values.push(found.value);
    }
  return values;
}

const stream = (name: string) => decoded(Buffer.from(recorded[name] ?? '', 'hex'));

/** The same as JSON can tell it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes:${Buffer.from(value).toString('latin1')}`;
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, plain(item)]);
  return Object.fromEntries(entries.filter(([key, item]) => key === 'Pause' || !isEmpty(item)));
}

/** Go also sends structs in which nothing is set, which says the same; but a pause that is set says something. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

const request = (ServiceMethod: string, Seq = 0) => ({ ServiceMethod, Seq });

test('a call with a whole Rollout is what Go itself would send', () => {
  const encoder = new GobEncoder();
  const value = { Rollout: rollout, Context: { PluginName: 'org/step', Config: { a: 1 }, Status: { b: [2] } } };
  const ours = Buffer.concat([
    encoder.struct('rpc.Request', request('Plugin.Run', 3)),
    encoder.struct('step.RunArgs', value),
  ]);
  assert.deepEqual(plain(decoded(ours)), plain(stream('run')));
});

test('calls without arguments, with a text, with a truth', () => {
  const encoder = new GobEncoder();
  assert.deepEqual(
    plain(
      decoded(
        Buffer.concat([encoder.struct('rpc.Request', request('Plugin.InitPlugin')), encoder.interface(undefined)]),
      ),
    ),
    plain(stream('nothing')),
  );
  for (const [name, bytes] of [
    ['dispense', [new GobEncoder(), 'Dispenser.Dispense', 0, 'string', 'RpcStepPlugin']],
    ['ping', [new GobEncoder(), 'Control.Ping', 300, 'bool', true]],
  ] as const) {
    const [fresh, method, sequence, type, value] = bytes;
    const ours = Buffer.concat([fresh.struct('rpc.Request', request(method, sequence)), fresh.basic(type, value)]);
    assert.equal(ours.toString('hex'), recorded[name]);
  }
});

test('types are defined once in a stream', () => {
  const encoder = new GobEncoder();
  const first = encoder.struct('rpc.Request', request('A'));
  const second = encoder.struct('rpc.Request', request('A'));
  assert.ok(second.length < first.length);
  assert.equal(decoded(Buffer.concat([first, second])).length, 2);
});

test('answers are read by the definitions that they carry', () => {
  assert.deepEqual(plain(stream('result')), [
    { ServiceMethod: 'Plugin.Run', Seq: 3 },
    {
      Result: { Phase: 'Running', Message: 'äöü', RequeueAfter: 90_000_000_000, Status: 'bytes:{"c":3}' },
    },
  ]);
  assert.deepEqual(plain(stream('refusal')), [{ ServiceMethod: 'Plugin.Run', Seq: 4, Error: "rpc: can't find" }, {}]);
  const [, measurement] = stream('measurement') as [unknown, { StartedAt: Uint8Array; Metadata: Map<string, string> }];
  assert.equal(timeText(measurement.StartedAt), '2030-01-02T03:04:05Z');
  assert.deepEqual(measurement.Metadata, new Map([['k', 'v']]));
  assert.deepEqual(
    plain(stream('numbers').map((value) => ({ ...(value as object), B: String((value as { B: bigint }).B) }))),
    [{ A: -129, B: String(2n ** 63n), C: 17.5, D: [0, -1], E: { x: 0 }, F: [true, false] }],
  );
});

test('times keep what they are', () => {
  for (const text of ['2030-01-02T03:04:05Z', '1969-12-31T23:59:59Z']) assert.equal(timeText(timeBytes(text)), text);
  assert.equal(timeText(new Uint8Array([1, ...new Uint8Array(14)])), undefined);
});

for (const [name, hex] of [
  ['a length beyond the bytes', '03ff820c7fffffff'],
  ['an unknown type', '03ff8400'],
  ['a huge message', 'f87fffffffffffffff'],
  ['a length of lengths', '80'],
] as const)
  test(`${name} is refused or waited for, never followed`, () => {
    try {
      assert.deepEqual(decoded(Buffer.from(hex, 'hex')), []);
    } catch (error) {
      assert.equal((error as Error).name, 'GobError');
    }
  });
