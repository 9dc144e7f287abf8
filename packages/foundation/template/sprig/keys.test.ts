import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { execute, parse, sprigFunctions, TemplateError, TemplateSet } from '../index.ts';

function render(text: string): string {
  const set = new TemplateSet();
  set.add(parse('t', text, { functions: sprigFunctions }));
  return execute(set, 't', null, { functions: sprigFunctions }).text;
}

test('private keys are written in the form that Sprig has for each kind, and can be read', () => {
  const blocks = {
    rsa: 'RSA PRIVATE KEY',
    dsa: 'DSA PRIVATE KEY',
    ecdsa: 'EC PRIVATE KEY',
    ed25519: 'PRIVATE KEY',
  };
  for (const [kind, block] of Object.entries(blocks)) {
    const pem = render(`{{ genPrivateKey "${kind}" }}`);
    assert.ok(pem.startsWith(`-----BEGIN ${block}-----\n`) && pem.endsWith(`-----END ${block}-----\n`), kind);
    assert.equal(
      Math.max(
        ...pem
          .split('\n')
          .slice(1, -2)
          .map(({ length }) => length),
      ),
      64,
    );
    const key = createPrivateKey(pem);
    const algorithm = kind === 'ed25519' ? null : 'sha256';
    const signature = sign(algorithm, Buffer.from('text'), key);
    assert.ok(verify(algorithm, Buffer.from('text'), createPublicKey(key), signature), kind);
  }
});

test('derived passwords are those of helm, and the counter is a uint32', () => {
  assert.equal(render('{{ derivePassword 1 "long" "password" "user" "example.com" }}'), 'ZedaFaxcZaso9*');
  assert.equal(render('{{ derivePassword 7 "maximum" "pässwörd" "Üser" "exämple.com" }}'), 'sBfm)1jum9PMSgkN4B5_');
  assert.equal(render('{{ derivePassword 1 "none" "a" "b" "c" }}'), 'cannot find password template none');
  assert.throws(
    () => render('{{ derivePassword "3" "long" "a" "b" "c" }}'),
    (error: unknown) =>
      error instanceof TemplateError && error.goMessage.includes('expected unsigned integer; found "3"'),
  );
});

function refused(text: string): string {
  try {
    render(text);
  } catch (error) {
    assert.ok(error instanceof TemplateError);
    return error.goMessage;
  }
  assert.fail('nothing was refused');
}

test('what is no certificate or no key for one is refused in the words of Go', () => {
  const block = (body: string): string => `-----BEGIN CERTIFICATE-----\\n${body}\\n-----END CERTIFICATE-----\\n`;
  assert.match(refused(`{{ buildCustomCert (b64enc "${block('AAAA')}") "eA==" }}`), /x509: malformed certificate$/);
  assert.match(refused(`{{ buildCustomCert (b64enc "${block('MAA=')}") "eA==" }}`), /x509: malformed tbs certificate$/);
  assert.match(
    refused('{{ genCAWithKey "a" 1 (genPrivateKey "dsa") }}'),
    /private key does not implement crypto\.Signer$/,
  );
  assert.match(refused('{{ genSignedCert "a" nil nil 1 nil }}'), /cannot assign nil to sprig\.certificate$/);
  assert.match(
    refused('{{ genSignedCert "a" nil nil 1 (dict) }}'),
    /wrong type for value; expected sprig\.certificate; got map\[string\]interface \{\}$/,
  );
});
