import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseYaml, quickRead, type Shape, type Wanted, YamlError } from '../index.ts';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const shape: Shape<Json, { [key: string]: Json }> = {
  map: () => Object.create(null) as { [key: string]: Json },
  set: (map, key, value) => {
    map[key] = value;
  },
  list: (items) => items,
  scalar: (value) => (typeof value === 'bigint' ? Number(value) : value),
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What the whole reader says of a text: its value, or that it is refused. */
function whole(text: string): { value: unknown } | undefined {
  try {
    return { value: plain(parseYaml(text)) };
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}

test('it reads what manifests are made of', () => {
  const text = `---
# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: "Deployment" # said so
metadata:
  name: web
  annotations: {}
  labels: {a: b, "c": 'it''s', d: [1, 2.5, "x\\n"]}
spec:
  args:
  - --flag=a:b
  - |
    two
      lines

  - key: yes
    other: ~
  empty:
  script: |-

    # no comment
    end
  long: words that
    go on

    and on
`;
  assert.deepEqual(plain(quickRead(text, shape)?.value), whole(text)?.value);
  assert.ok(quickRead(text, shape));
});

test('what only the whole reader can judge is left to it', () => {
  for (const text of [
    'a: b: c',
    'a: &x 1',
    'a: *x',
    'a: !!str 1',
    '<<: {a: 1}',
    'a: 1\n b: 2',
    'a:\n\t- b',
    '? a\n: b',
    'a: .inf',
    '~: a',
    'a: 1\n---\nb: 2',
    'a: 1\n...\n',
    'a: "x',
    "a: 'x' y",
    'a: [1, 2',
    'a: {b}',
    'a: @b',
    'a: \u0001',
    'a: |\n  x\n b',
    'word',
    '',
  ])
    assert.equal(quickRead(text, shape), undefined, text);
});

const wanted: Wanted = new Map<string, true | Wanted>([
  ['a', true],
  ['b', new Map<string, true>([['c', true]])],
]);

function dropped(value: unknown, keep: true | Wanted = wanted): unknown {
  if (keep === true || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const below = keep.get(key.toLowerCase());
    if (below) kept[key] = dropped(item, below);
  }
  return kept;
}

const pieces = fc.constantFrom(
  ...['a', 'b', 'c:', 'A:', ' ', '  ', '    ', '\n', '\n', '\n  ', '\n    ', '\n- ', '\n  - ', '- ', ': ', ':\n', ':'],
  ...[
    '|',
    '|-',
    '>+',
    '>',
    '"',
    "'",
    '#',
    ' # x',
    '[',
    ']',
    '{',
    '}',
    ', ',
    ',',
    '1',
    '0x1',
    '.5',
    '-.inf',
    '~',
    'yes',
  ],
  ...[
    '<<',
    '&x ',
    '*x',
    '!',
    '? ',
    '---',
    '\n---\n',
    '...',
    '%',
    '\\',
    '\\n',
    '\t',
    'é',
    '😀',
    '\u2028',
    '12:30',
    '08',
  ],
  ...[
    'null',
    'a: b\n',
    'b:\n  c: 1\n',
    'a: |\n  x\n\n  z\n',
    '- x: z\n',
    'a: "b"\n',
    '=',
    '@',
    '-',
    '.',
    '2001-01-01',
    '""',
  ],
);

test('whatever it reads, the whole reader reads the same', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      for (const text of [parts.join(''), `a: ${parts.join('')}`]) {
        const quick = quickRead(text, shape);
        const skimmed = quickRead(text, shape, wanted);
        if (!quick && !skimmed) continue;
        read++;
        const all = whole(text);
        assert.ok(all, JSON.stringify(text));
        if (quick) assert.deepEqual(plain(quick.value), all.value, JSON.stringify(text));
        if (skimmed) assert.deepEqual(plain(skimmed.value), dropped(all.value), JSON.stringify(text));
      }
    }),
    { numRuns: 5000 },
  );
  assert.ok(read > 500, String(read));
});
