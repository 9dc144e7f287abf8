import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  scryptSync,
} from 'node:crypto';
import bcryptjs from 'bcryptjs';
import { chargeHeavy, limitList } from '../bounds/active-budget.ts';
import { fromBytes, toBytes } from '../text/bytes.ts';
import type { CallContext } from '../value/call-context.ts';
import { define, defineTyped, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { stringType, uint32Type } from '../value/type.ts';
import { int, integerOf, type Value } from '../value/value.ts';
import { certificateFunctions, pemOf } from './certificates.ts';
import { generated } from './generated.ts';
import { passwordCharacters, passwordTemplates } from './password-templates.ts';
import { decodeBase64 } from './values.ts';

const alphabets: Readonly<Record<string, string>> = {
  randAlphaNum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  randAlpha: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  randNumeric: '0123456789',
  randAscii: String.fromCharCode(...Array.from({ length: 95 }, (_, i) => 32 + i)),
};

/** A number below the limit, each equally likely. */
function randomBelow(limit: number, context: CallContext): number {
  const span = Math.floor(2 ** 32 / limit) * limit;
  for (;;) {
    const value = Buffer.from(context.recorder.randomBytes(4)).readUInt32BE();
    if (value < span) return value % limit;
  }
}

function randomText(name: string): FunctionSpec {
  const alphabet = alphabets[name] as string;
  return define('int', ([count], context) => {
    const length = Number(integerOf(count) ?? 0n);
    if (length <= 0) return '';
    context.budget.string(length);
    return generated(context, [String(length)], () => {
      limitList(length);
      let text = '';
      for (let i = 0; i < length; i++) text += alphabet[randomBelow(alphabet.length, context)];
      return text;
    });
  });
}

function shuffle(text: string, context: CallContext): string {
  limitList(text.length);
  return generated(context, [text], () => {
    const runes = Array.from(text);
    for (let i = runes.length - 1; i > 0; i--) {
      const j = randomBelow(i + 1, context);
      [runes[i], runes[j]] = [runes[j] as string, runes[i] as string];
    }
    return runes.join('');
  });
}

function uuid(context: CallContext): string {
  return generated(context, [], () => {
    const bytes = Buffer.from(context.recorder.randomBytes(16));
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  });
}

const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function bcrypt(password: string, context: CallContext): string {
  const bytes = toBytes(password);
  if (bytes.length > 72) return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
  return generated(context, [password], () => {
    chargeHeavy();
    let salt = '';
    for (let i = 0; i < 21; i++) salt += bcryptAlphabet[randomBelow(64, context)];
    // Only the first two bits of the last character count.
    salt += bcryptAlphabet[randomBelow(4, context) * 16];
    return bcryptjs.hashSync(password, `$2a$10$${salt}`).replace(/^\$2[by]\$/, '$2a$');
  });
}

function privateKey(type: string, context: CallContext): string {
  const make = (): KeyObject => {
    if (type === 'ecdsa') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    if (type === 'ed25519') return generateKeyPairSync('ed25519').privateKey;
    if (type === 'dsa') return generateKeyPairSync('dsa', { modulusLength: 2048, divisorLength: 256 }).privateKey;
    return generateKeyPairSync('rsa', { modulusLength: 4096 }).privateKey;
  };
  if (!['', 'rsa', 'dsa', 'ecdsa', 'ed25519'].includes(type)) return `Unknown type ${type}`;
  return generated(context, [type], () => {
    chargeHeavy();
    return pemOf(make());
  });
}

function encrypt(password: string, text: string, context: CallContext): string {
  if (text === '') return '';
  return generated(context, [password, text], () => {
    const iv = context.recorder.randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', aesKey(password), iv);
    return Buffer.concat([iv, cipher.update(toBytes(text)), cipher.final()]).toString('base64');
  });
}

function aesKey(password: string): Buffer {
  const key = Buffer.alloc(32);
  key.set(toBytes(password).subarray(0, 32));
  return key;
}

function decrypt(password: string, text: string): string {
  if (text === '') return '';
  const decoded = decodeBase64(text);
  if ('error' in decoded) throw new FunctionError(decoded.error);
  const { bytes } = decoded;
  if (bytes.length < 16)
    throw new FunctionError(`runtime error: slice bounds out of range [:16] with capacity ${bytes.length}`);
  if (bytes.length % 16 !== 0) throw new FunctionError('crypto/cipher: input not full blocks');
  const decipher = createDecipheriv('aes-256-cbc', aesKey(password), bytes.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  return fromBytes(plain.subarray(0, plain.length - (plain.at(-1) ?? 0)));
}

function derivePassword(counter: number, type: string, password: string, user: string, site: string): string {
  const templates = passwordTemplates[type];
  if (!templates) return `cannot find password template ${type}`;
  chargeHeavy();
  const seedText = Buffer.from('com.lyndir.masterpassword');
  const size = (bytes: Uint8Array): Buffer => {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32BE(bytes.length);
    return buffer;
  };
  const [userBytes, siteBytes] = [toBytes(user), toBytes(site)];
  const salt = Buffer.concat([seedText, size(userBytes), userBytes]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter >>> 0);
  const seed = createHmac('sha256', key)
    .update(Buffer.concat([seedText, size(siteBytes), siteBytes, count]))
    .digest();
  const template = templates[(seed[0] as number) % templates.length] as string;
  return [...template]
    .map((kind, i) => {
      const characters = passwordCharacters[kind] as string;
      return characters[(seed[i + 1] as number) % characters.length];
    })
    .join('');
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return (b * 65536 + a) >>> 0;
}

const sum = (algorithm: string): FunctionSpec =>
  define('string', ([text]) =>
    createHash(algorithm)
      .update(toBytes(text as string))
      .digest('hex'),
  );
const number = (value: Value): number => Number(integerOf(value) ?? 0n);

/** Sprig's functions of randomness and cryptography. */
export const cryptoFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ...Object.keys(alphabets).map((name) => [name, randomText(name)] as const),
  [
    'randBytes',
    define('int', ([count], context) => {
      const length = number(count);
      if (length < 0) throw new FunctionError('runtime error: makeslice: len out of range');
      context.budget.string(length);
      return generated(context, [String(length)], () =>
        Buffer.from(context.recorder.randomBytes(length)).toString('base64'),
      );
    }),
  ],
  [
    'randInt',
    define('int, int', ([min, max], context) => {
      const [low, high] = [number(min), number(max)];
      if (high <= low) throw new FunctionError('invalid argument to Intn');
      return int(
        Number(generated(context, [String(low), String(high)], () => String(low + randomBelow(high - low, context)))),
      );
    }),
  ],
  ['shuffle', define('string', ([text], context) => shuffle(text as string, context))],
  ['uuidv4', define('', (_args, context) => uuid(context))],
  ['bcrypt', define('string', ([password], context) => bcrypt(password as string, context))],
  [
    'htpasswd',
    define('string, string', ([user, password], context) =>
      (user as string).includes(':')
        ? `invalid username: ${user as string}`
        : `${user as string}:${bcrypt(password as string, context)}`,
    ),
  ],
  ['genPrivateKey', define('string', ([type], context) => privateKey(type as string, context))],
  [
    'encryptAES',
    define('string, string', ([password, text], context) => encrypt(password as string, text as string, context)),
  ],
  ['decryptAES', define('string, string', ([password, text]) => decrypt(password as string, text as string))],
  [
    'derivePassword',
    defineTyped([uint32Type, stringType, stringType, stringType, stringType], ([counter, type, password, user, site]) =>
      derivePassword(number(counter), type as string, password as string, user as string, site as string),
    ),
  ],
  ['sha1sum', sum('sha1')],
  ['sha256sum', sum('sha256')],
  ['sha512sum', sum('sha512')],
  ['adler32sum', define('string', ([text]) => String(adler32(toBytes(text as string))))],
  ...certificateFunctions,
]);
