import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import {
  execute,
  freshRecorder,
  type Generation,
  generationKey,
  parse,
  type Recorded,
  type Recorder,
  sprigFunctions,
  TemplateSet,
} from '../index.ts';

function recorderOver(state: Map<string, Recorded>, seen: Generation[] = []): Recorder {
  const fresh = freshRecorder();
  return {
    ...fresh,
    generate: (generation, make) => {
      seen.push(generation);
      const key = generationKey(generation);
      const known = state.get(key) ?? make();
      state.set(key, known);
      return known;
    },
  };
}

function render(text: string, recorder: Recorder) {
  const set = new TemplateSet();
  set.add(parse('t', text, { functions: sprigFunctions }));
  return execute(set, 't', null, { functions: sprigFunctions, recorder });
}

const everySource = `{{ randAlphaNum 5 }} {{ randAlpha 5 }} {{ randNumeric 5 }} {{ randAscii 5 }} {{ randBytes 5 }} {{ randInt 0 1000000 }}
{{ uuidv4 }} {{ now }} {{ now | date "2006-01-02 15:04:05.000" }} {{ shuffle "abcdefghijklmnop" }} {{ bcrypt "x" }}
{{ htpasswd "u" "p" }} {{ encryptAES "key" "text" }} {{ genPrivateKey "ecdsa" }} {{ genPrivateKey "ed25519" }}
{{ $ca := genCA "ca" 365 }}{{ $ca.Cert }}{{ $cert := genSignedCert "host" (list "10.0.0.1") (list "a.b") 30 $ca }}{{ $cert.Cert }}{{ $cert.Key }}
{{ (genSelfSignedCert "self" nil nil 1).Cert }}{{ ago (toDate "2006" "2020") }}`;

test('a second render with the same records is the same to the byte, for every source of chance and time', () => {
  const state = new Map<string, Recorded>();
  const first = render(everySource, recorderOver(state)).text;
  const saved = new Map(
    Object.entries(JSON.parse(JSON.stringify(Object.fromEntries(state))) as Record<string, Recorded>),
  );
  const size = saved.size;
  assert.equal(render(everySource, recorderOver(saved)).text, first);
  assert.equal(saved.size, size, 'nothing was generated anew');
  assert.notEqual(render(everySource, freshRecorder()).text, first);
});

test('each round of a loop, and each use on one line, is a generation of its own', () => {
  const seen: Generation[] = [];
  const { text } = render(
    '{{ range until 3 }}{{ randAlphaNum 12 }} {{ randAlphaNum 12 }} {{ end }}',
    recorderOver(new Map(), seen),
  );
  assert.equal(new Set(text.trim().split(' ')).size, 6);
  assert.equal(new Set(seen.map(({ rounds }) => rounds)).size, 3);
  assert.deepEqual(
    seen.map(({ occurrence }) => occurrence),
    [0, 1, 0, 1, 0, 1],
  );
});

test('a signed certificate is one that its authority signed, for the given names', () => {
  const text = render(
    '{{ $ca := genCA "my-ca" 365 }}{{ $c := genSignedCert "host" (list "10.0.0.1") (list "a.b") 30 $ca }}{{ $ca.Cert }}|{{ $c.Cert }}|{{ $c.Key }}',
    freshRecorder(),
  ).text;
  const [ca, cert, key] = text.split('|') as [string, string, string];
  const [authority, leaf] = [new X509Certificate(ca), new X509Certificate(cert)];
  assert.ok(authority.ca);
  assert.match(authority.subject, /my-ca/);
  assert.ok(leaf.verify(authority.publicKey));
  assert.ok(leaf.checkPrivateKey(createPrivateKey(key)));
  assert.match(leaf.subjectAltName ?? '', /DNS:a\.b/);
  assert.match(leaf.subjectAltName ?? '', /IP Address:10\.0\.0\.1/);
  const days = (Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)) / 86_400_000;
  assert.equal(Math.round(days), 30);
});

test('what encryptAES wrote decryptAES reads', () => {
  assert.equal(render('{{ encryptAES "key" "some text" | decryptAES "key" }}', freshRecorder()).text, 'some text');
});
