import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import { chargeHeavy } from '../bounds/active-budget.ts';
import { formatValue } from '../fmt/format-value.ts';
import type { CallContext } from '../value/call-context.ts';
import { define, defineTyped, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { type GoType, intType, namedType, sliceOfAny, stringType } from '../value/type.ts';
import { elementsOf, GoStruct, integerOf, type Value } from '../value/value.ts';
import { type CertificateRequest, certificateDer } from './certificate-der.ts';
import { dsaPem } from './dsa-key.ts';
import { generated } from './generated.ts';
import { decodeBase64 } from './values.ts';

const certificateType = namedType('sprig.certificate', { kind: 'struct', fields: ['Cert', 'Key'] });

interface Pair {
  readonly [field: string]: string;
  readonly Cert: string;
  readonly Key: string;
}

function valueOfPair(pair: Pair): Value {
  return new GoStruct(
    certificateType,
    new Map([
      ['Cert', pair.Cert],
      ['Key', pair.Key],
    ]),
  );
}

/** The private key as Go's encoders write it. */
export function pemOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'dsa') return dsaPem(key);
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function readKey(pem: string): KeyObject {
  const block = /-----BEGIN ([^-]+)-----/.exec(pem)?.[1];
  if (block === undefined) throw new FunctionError('no PEM data in input');
  if (!block.endsWith('PRIVATE KEY')) throw new FunctionError(`no private key data in PEM block of type ${block}`);
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new FunctionError(`decoding PEM: ${(error as Error).message}`);
  }
}

function guarded<T>(prefix: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof FunctionError) throw new FunctionError(`${prefix}: ${error.message}`);
    throw error;
  }
}

function texts(list: Value, what: string): string[] {
  return (elementsOf(list) ?? []).map((item) => {
    if (typeof item !== 'string') throw new FunctionError(`error ${what}: ${formatValue(item)} is not a string`);
    return item;
  });
}

function request(
  cn: string,
  ips: Value,
  names: Value,
  days: Value,
  context: CallContext,
  isCa: boolean,
): CertificateRequest {
  const addresses = texts(ips, 'parsing ip');
  for (const address of addresses) {
    if (!/^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)$/.test(address))
      throw new FunctionError(`error parsing ip: ${address}`);
  }
  const now = context.recorder.now();
  return {
    commonName: cn,
    addresses,
    names: texts(names, 'processing alternate dns name'),
    notBefore: now,
    notAfter: now + Number(integerOf(days) ?? 0n) * 86_400_000,
    serial: context.recorder.randomBytes(16),
    isCa,
  };
}

function issue(
  asked: CertificateRequest,
  key: KeyObject,
  issuer?: { readonly certificate: string; readonly key: KeyObject },
): Pair {
  const fault = (words: string): never => {
    throw new FunctionError(`error creating certificate: x509: ${words}`);
  };
  if ((issuer?.key ?? key).asymmetricKeyType === 'dsa')
    fault('certificate private key does not implement crypto.Signer');
  if (key.asymmetricKeyType === 'dsa') fault('unsupported public key type: *dsa.PublicKey');
  const der = certificateDer(
    asked,
    createPublicKey(key),
    issuer,
    (data) => {
      const signer = issuer?.key ?? key;
      return sign(signer.asymmetricKeyType === 'ed25519' ? null : 'sha256', data, signer);
    },
    issuer?.key ?? key,
  );
  const body = der.toString('base64').replace(/.{1,64}/g, '$&\n');
  return { Cert: `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`, Key: pemOf(key) };
}

function newKey(): KeyObject {
  chargeHeavy();
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

type Make = (args: Value[], key: KeyObject, context: CallContext) => Pair;

/** The function and its form that takes a private key as the last argument. */
function both(name: string, params: readonly GoType[], make: Make): [string, FunctionSpec][] {
  const identity = (args: readonly Value[]): string[] =>
    args.map((arg) => (arg instanceof GoStruct ? String(arg.fields.get('Cert')) : formatValue(arg)));
  return [
    [
      name,
      defineTyped(params, (args, context) =>
        valueOfPair(generated(context, identity(args), () => make(args, newKey(), context))),
      ),
    ],
    [
      `${name}WithKey`,
      defineTyped([...params, stringType], (args, context) => {
        const key = guarded('parsing private key', () => readKey(args.at(-1) as string));
        return valueOfPair(generated(context, identity(args), () => make(args.slice(0, -1), key, context)));
      }),
    ],
  ];
}

const authority: Make = ([cn, days], key, context) =>
  issue(request(cn as string, null, null, days, context, true), key);
const selfSigned: Make = ([cn, ips, names, days], key, context) =>
  issue(request(cn as string, ips, names, days, context, false), key);
const signed: Make = ([cn, ips, names, days, ca], key, context) => {
  const fields = ca instanceof GoStruct ? ca.fields : new Map<string, Value>();
  const certificate = String(fields.get('Cert') ?? '');
  if (!certificate.includes('-----BEGIN')) throw new FunctionError('unable to decode certificate');
  const signer = guarded('error parsing private key', () => readKey(String(fields.get('Key') ?? '')));
  return issue(request(cn as string, ips, names, days, context, false), key, { certificate, key: signer });
};

/** What Go finds wrong with the first block of a PEM text, or undefined. */
function certificateFault(pem: string): string | undefined {
  const body = /-----BEGIN [^-]+-----([^-]*)-----END/.exec(pem)?.[1] ?? '';
  const der = Buffer.from(body, 'base64');
  try {
    new X509Certificate(der);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A sequence whose first element is another one is as far as Go's first two steps go.
    const head = der[0] === 0x30 ? 2 + ((der[1] ?? 0) < 0x80 ? 0 : (der[1] as number) & 0x7f) : -1;
    return head < 0 ? 'malformed certificate' : 'malformed tbs certificate';
  }
}

function custom([cert, key]: Value[]): Value {
  const decode = (text: Value, what: string): string => {
    const decoded = decodeBase64(text as string);
    if ('error' in decoded) throw new FunctionError(`unable to decode base64 ${what}`);
    return Buffer.from(decoded.bytes).toString('utf8');
  };
  const certificate = decode(cert, 'certificate');
  const privateKey = decode(key, 'private key');
  if (!certificate.includes('-----BEGIN')) throw new FunctionError('unable to decode certificate');
  const fault = certificateFault(certificate);
  if (fault) throw new FunctionError(`error parsing certificate: decodedCert.Bytes: x509: ${fault}`);
  guarded('error parsing private key', () => readKey(privateKey));
  return valueOfPair({ Cert: certificate, Key: privateKey });
}

/** Sprig's functions that make certificates. */
export const certificateFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ...both('genCA', [stringType, intType], authority),
  ...both('genSelfSignedCert', [stringType, sliceOfAny, sliceOfAny, intType], selfSigned),
  ...both('genSignedCert', [stringType, sliceOfAny, sliceOfAny, intType, certificateType], signed),
  ['buildCustomCert', define('string, string', custom)],
]);
