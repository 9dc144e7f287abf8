/** Keeps bytes by key for a while: whatever is lost, or can not be had, is as if it never was there. */
export interface ByteStore {
  /** For logs: `disk`, `shared`. */
  readonly name: 'disk' | 'shared';
  get(key: string): Promise<Buffer | undefined>;
  put(key: string, value: Buffer): Promise<void>;
  close(): void;
}
