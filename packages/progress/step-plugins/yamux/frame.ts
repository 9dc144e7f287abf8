/** Kinds of frames. */
export const frameType = { data: 0, windowUpdate: 1, ping: 2, goAway: 3 } as const;
/** Flags of frames. */
export const flag = { syn: 1, ack: 2, fin: 4, rst: 8 } as const;
export const headerLength = 12;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of data, the window's growth, or a ping's number. */
  readonly length: number;
}

/** The header of a frame of yamux, version 0. */
export function encodeFrame({ type, flags, stream, length }: Frame): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(flags, 2);
  header.writeUInt32BE(stream, 4);
  header.writeUInt32BE(length, 8);
  return header;
}

/** Throws for another version. */
export function decodeFrame(header: Buffer): Frame {
  if (header.readUInt8(0) !== 0) throw new Error(`yamux of version ${header.readUInt8(0)}`);
  return {
    type: header.readUInt8(1),
    flags: header.readUInt16BE(2),
    stream: header.readUInt32BE(4),
    length: header.readUInt32BE(8),
  };
}
