/** The keys of a key ring as OpenPGP packets: GnuPG's keybox, armoured exports one after the other, or the packets as they are. */
export type KeyRing = { readonly armored: readonly string[] } | { readonly binary: Uint8Array };

const headerBlob = 1;
const openPgpBlob = 2;
const ephemeral = 0x0002;

/** Throws an `Error` for a keybox or armour that is damaged. */
export function splitKeyRing(data: Buffer): KeyRing {
  if (data.length >= 12 && data[4] === headerBlob && data.toString('latin1', 8, 12) === 'KBXf')
    return { binary: keyboxKeys(data) };
  const text = data.toString('latin1').trim();
  if (!text.startsWith('-----BEGIN PGP')) return { binary: data };
  const armored =
    text.match(/-----BEGIN PGP (?:PUBLIC|PRIVATE) KEY BLOCK-----(?:(?!-----)[\s\S])*-----END PGP [A-Z ]+-----/g) ?? [];
  if (armored.length === 0) throw new Error('no keys found');
  return { armored };
}

/** The key blocks of a keybox. Blobs that GnuPG itself skips are skipped. */
function keyboxKeys(data: Buffer): Buffer {
  const keys: Buffer[] = [];
  for (let offset = 0; offset < data.length; ) {
    if (data.length - offset < 5) throw new Error(`truncated blob header at offset ${offset}`);
    const length = data.readUInt32BE(offset);
    if (length < 5) throw new Error(`invalid blob length ${length} at offset ${offset}`);
    if (length > data.length - offset) {
      throw new Error(
        `blob at offset ${offset} has length ${length} exceeding the ${data.length - offset} remaining bytes`,
      );
    }
    const blob = data.subarray(offset, offset + length);
    if (blob[4] === openPgpBlob) {
      if (blob.length < 16) throw new Error(`OpenPGP blob at offset ${offset} is too short`);
      const from = blob.readUInt32BE(8);
      const to = from + blob.readUInt32BE(12);
      if (to > blob.length) throw new Error(`OpenPGP blob at offset ${offset} has an out-of-range keyblock`);
      if ((blob.readUInt16BE(6) & ephemeral) === 0) keys.push(blob.subarray(from, to));
    }
    offset += length;
  }
  if (keys.length === 0) throw new Error('keybox contains no OpenPGP keys');
  return Buffer.concat(keys);
}
