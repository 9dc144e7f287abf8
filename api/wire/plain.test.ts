import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { ScalarType, toBinary } from '@bufbuild/protobuf';
import { randomNumbers } from '../../scripts/testing/random-numbers.ts';
import { ApplicationListSchema } from '../generated/argocd/types/application_pb.js';
import { services } from '../messages.ts';
import { workflowServices } from '../workflows/workflow-services.ts';
import { plainWithBreaks, toWireWithBreaks } from './breaks.ts';
import { plainOf } from './plain.ts';
import { specialMessages } from './special.ts';
import { fromWire, planOf, toWire } from './wire.ts';

/** All messages of all services. */
function allMessages(): DescMessage[] {
  const found = new Map<string, DescMessage>();
  const visit = (desc: DescMessage) => {
    if (found.has(desc.typeName)) return;
    found.set(desc.typeName, desc);
    for (const { message } of desc.fields) if (message) visit(message);
  };
  for (const service of [...Object.values(services), ...Object.values(workflowServices)])
    for (const { input, output } of service.methods) for (const desc of [input, output]) visit(desc);
  return [...found.values()];
}

const odd: readonly unknown[] = [null, '', 0, 1.5, true, [], {}, 'x', [null], -3];

/** JSON of the message, or nearly. */
function jsonOf(desc: DescMessage, next: () => number, depth = 0): unknown {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;
  if (next() < 0.01) return pick(odd);
  if (specialMessages.has(desc.typeName))
    return pick<unknown>([
      '2026-01-02T03:04:05Z',
      '1970-01-01T00:00:00Z',
      '2026-01-02T03:04:05.123456Z',
      7,
      '50%',
      { a: [1] },
      ['b'],
      {},
    ]);
  const item = (field: DescField): unknown => {
    if (next() < 0.01) return pick(odd);
    if (field.message) return jsonOf(field.message, next, depth + 1);
    if (field.enum) return pick([0, 1, 2]);
    if (field.scalar === ScalarType.STRING) return pick(['', 'text', 'ü']);
    if (field.scalar === ScalarType.BOOL) return pick([true, false]);
    if (field.scalar === ScalarType.BYTES) return pick(['', 'YQ==', 'YQ']);
    return pick([0, 1, -1, 2 ** 40]);
  };
  const value = ({ desc: field }: { desc: DescField }): unknown => {
    const count = pick([0, 1, 2]);
    if (field.fieldKind === 'list') return Array.from({ length: count }, () => item(field));
    if (field.fieldKind === 'map')
      return Object.fromEntries(Array.from({ length: count }, () => [pick(['a', 'b', '__proto__']), item(field)]));
    return item(field);
  };
  const plan = planOf(desc);
  if (plan[0]?.whole) return value(plan[0]);
  const json: Record<string, unknown> = { unknown: 1 };
  for (const field of plan) {
    if (next() < 0.4 || depth > 5) continue;
    if (field.inline) Object.assign(json, jsonOf(field.desc.message as DescMessage, next, depth));
    else json[field.key] = value(field);
  }
  return json;
}

const outcome = (work: () => unknown): string => {
  try {
    return JSON.stringify(work());
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};

test('what is plain of a message is what its message gives, for any JSON of each message of the API', () => {
  const all = allMessages();
  assert.ok(all.length > 500, `${all.length} messages`);
  const next = randomNumbers(1);
  let refused = 0;
  for (const desc of all)
    for (let each = 0; each < 12; each++) {
      const json = jsonOf(desc, next);
      const expected = outcome(() => fromWire(desc, toWire(desc, json)));
      if (expected.startsWith('WireError')) refused++;
      assert.equal(
        outcome(() => plainOf(desc, json)),
        expected,
        `${desc.typeName} of ${JSON.stringify(json)}`,
      );
    }
  assert.ok(refused > 100, `${refused} refused`);
});

test('long lists are made with breaks, and are the same', async () => {
  const items = Array.from({ length: 950 }, (_, index) => ({
    metadata: { name: `app-${index}` },
    spec: { project: 'a' },
  }));
  const list = { metadata: { resourceVersion: '7' }, items };
  let pauses = 0;
  const plain = await plainWithBreaks(ApplicationListSchema, list, async () => void pauses++);
  assert.equal(
    JSON.stringify(plain),
    JSON.stringify(fromWire(ApplicationListSchema, toWire(ApplicationListSchema, list))),
  );
  assert.equal(pauses, 9);
  const message = await toWireWithBreaks(ApplicationListSchema, list, async () => void pauses++);
  assert.deepEqual(
    toBinary(ApplicationListSchema, message),
    toBinary(ApplicationListSchema, toWire(ApplicationListSchema, list)),
  );
  assert.equal(pauses, 18);
  const none = await plainWithBreaks(ApplicationListSchema, undefined, async () => void pauses++);
  assert.equal(JSON.stringify(none), JSON.stringify(plainOf(ApplicationListSchema, {})));
  assert.equal(pauses, 18);
});
