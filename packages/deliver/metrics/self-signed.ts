import { createSign, generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { bitString, extension, integer, objectId, sequence, tagged, time } from '@tiphys/der';

const day = 24 * 3_600_000;
const ecdsaWithSha256 = sequence(objectId('1.2.840.10045.4.3.2'));

/** A certificate that nobody vouches for and its key, as PEM: for ports that speak TLS where anyone who reads them does not ask who it is. */
export async function selfSignedCertificate(name: string, now: number): Promise<{ cert: string; key: string }> {
  const { publicKey, privateKey: key } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'prime256v1',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const text = Buffer.from(name);
  const subject = sequence(tagged(0x31, sequence(objectId('2.5.4.3'), tagged(0x0c, text))));
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    subject,
    sequence(time(now - 3_600_000), time(now + 365 * day)),
    subject,
    publicKey,
    tagged(0xa3, sequence(extension('2.5.29.17', false, sequence(tagged(0x82, text))))),
  );
  const signature = createSign('SHA256').update(body).sign(key);
  const lines = sequence(body, ecdsaWithSha256, bitString(signature)).toString('base64').replace(/.{64}/g, '$&\n');
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`, key };
}
