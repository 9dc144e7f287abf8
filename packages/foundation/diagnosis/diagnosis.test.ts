import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineDiagnosis, diagnose, redact, shownLines } from './diagnosis.ts';
import { DiagnosisError, diagnosisOf, failure, handlingOf, within } from './diagnosis-error.ts';
import { explainDiagnosis, formatPlace } from './format.ts';

const lampBroken = defineDiagnosis('LampBroken', 'A lamp does not shine', 'X1');

test('a kind is declared once', () => {
  assert.deepEqual(lampBroken, { code: 'LampBroken', cause: 'X1', summary: 'A lamp does not shine' });
  assert.throws(() => defineDiagnosis('LampBroken', 'again'), /declared twice/);
});

test('evidence is a list whatever it was given as; what is undefined is none', () => {
  const { evidence, remedies } = diagnose(lampBroken, {
    message: 'dark',
    evidence: { volts: 0, at: undefined, from: 'https://u:hush@host/x' },
    remedies: ['Plug it in', { text: 'Or buy one', loses: 'money' }],
  });
  assert.deepEqual(evidence, [
    { name: 'volts', value: '0' },
    { name: 'from', value: 'https://host/x' },
  ]);
  assert.deepEqual(remedies, [{ text: 'Plug it in' }, { text: 'Or buy one', loses: 'money' }]);
});

test('user information of URLs is removed from every text, also where the password ends the host', () => {
  const cases: [text: string, shown: string][] = [
    ['https://u:p@host/x', 'https://host/x'],
    ['see https://token@host.', 'see https://host.'],
    ['https://u:p/a?b#c@host/x', 'https://host/x'],
    ['https://u:p@ss@host', 'https://host'],
    ['https://host:8443/a@b', 'https://host:8443/a@b'],
    ['https://[::1]:80/a@b', 'https://[::1]:80/a@b'],
    ['ssh://git@host/x', 'ssh://git@host/x'],
    ['ssh://git:p@host/x', 'ssh://host/x'],
    ['POSTGRESQL://a:b@host', 'POSTGRESQL://host'],
    ['no@address here: 5', 'no@address here: 5'],
  ];
  for (const [text, shown] of cases) assert.equal(redact(text), shown);
});

test('remedies hold no credentials of what was given; the example of a URL with credentials stays', () => {
  const paste = 'TIPHYS_HISTORY=postgresql://user:password@host/tiphys';
  const { remedies } = diagnose(lampBroken, {
    message: 'x',
    remedies: ['Reach https://ann:geheim@lamps.example/a', { text: 'Or name one', paste, loses: 'ssh://a:b@host' }],
  });
  assert.deepEqual(remedies, [
    { text: 'Reach https://lamps.example/a' },
    { text: 'Or name one', paste, loses: 'ssh://host' },
  ]);
});

test('lines of what is, or could be, a Secret are not shown', () => {
  assert.equal(shownLines('a: 1', 'kind: ConfigMap\na: 1'), 'a: 1');
  for (const [lines, text] of [
    ['a: 1', 'kind: Secret\na: 1'],
    ['a: 1', '"kind" : "secret"\na: 1'],
    ['a: 1', 'stringData: {a: 1}'],
    ['apiKey: x', 'kind: ConfigMap'],
    ['db_password=x', ''],
  ] as const)
    assert.match(shownLines(lines, text), /^not shown/, text);
  assert.equal(shownLines('passwordFrom: ', ''), 'passwordFrom: ');
});

test('a place is told from the innermost part on', () => {
  const place = { file: 'a.yaml', line: 3, column: 7, object: 'Lamp x', field: 'spec', revision: 'ab'.repeat(20) };
  assert.equal(formatPlace(place), 'a.yaml:3:7, Lamp x, field spec, revision abababa');
  assert.equal(formatPlace({ remote: 'https://host', revision: 'main' }), 'https://host, revision main');
  assert.equal(formatPlace({}), '');
});

test('the whole of a diagnosis is told with evidence, remedies and what led to it', () => {
  const power = diagnose(lampBroken, { message: 'no power', evidence: { fuse: 'blown\ntwice' } });
  const lamp = diagnose(lampBroken, {
    message: 'dark',
    place: { object: 'Lamp x' },
    remedies: [{ text: 'Change it', paste: 'a: 1\nb: 2', loses: 'the old one' }],
    causes: [power],
  });
  assert.equal(
    explainDiagnosis(lamp),
    [
      'dark (Lamp x)',
      '  → Change it (this loses the old one)',
      '      a: 1',
      '      b: 2',
      '  because: no power',
      '    fuse: blown',
      '      twice',
    ].join('\n'),
  );
  assert.equal(explainDiagnosis({ code: 'X', cause: 'X', message: 'as JSON without lists' }), 'as JSON without lists');
});

test('a caught value is told as what it is: a defect names itself with its stack, of several the first leads', () => {
  const dark = failure(lampBroken, { message: 'dark' }, { handling: 'waiting', retryAfter: 5 });
  assert.equal(diagnosisOf(dark), dark.diagnosis);
  assert.equal(handlingOf(dark), 'waiting');
  const defect = diagnosisOf(new TypeError('x is undefined'));
  assert.equal(defect.code, 'InternalError');
  assert.match(defect.evidence[0]?.value ?? '', /TypeError: x is undefined\n +at /);
  assert.equal(handlingOf(new Error('x')), 'retryable');
  assert.equal(diagnosisOf('thrown as text').message, 'Internal error: thrown as text');
  const both = diagnosisOf(new AggregateError([dark, failure(lampBroken, { message: 'cold' })]));
  assert.deepEqual([both.message, both.causes?.[0]?.message], ['dark', 'cold']);
  assert.equal(diagnosisOf(new AggregateError([dark])), dark.diagnosis);
});

test('within() adds what the caller knows, and what is there already wins', () => {
  const dark = failure(
    lampBroken,
    { message: 'dark', place: { file: 'a.yaml', line: 3 }, evidence: { volts: 0 } },
    { handling: 'waiting', retryAfter: 5 },
  );
  const told = within(dark, { place: { file: 'b.yaml', remote: 'https://u:p@host' }, evidence: { room: 'hall' } });
  assert.ok(told instanceof DiagnosisError);
  assert.deepEqual([told.diagnosis.place?.file, told.diagnosis.place?.line], ['a.yaml', 3]);
  assert.deepEqual(
    told.diagnosis.evidence.map(({ name }) => name),
    ['volts', 'room'],
  );
  assert.deepEqual([told.handling, told.retryAfter, told.cause], ['waiting', 5, dark]);
  assert.doesNotMatch(JSON.stringify(told.diagnosis), /u:p@/);
});
