import { invalidArgument } from '@tiphys/server';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Where an upload is kept: `uploads/NAMESPACE/UUID/FILE`. Only the last part of the file's name counts. Throws InvalidArgument. */
export function uploadedKey(namespace: string, id: string, filename: string): string {
  const name = filename.replaceAll('\\', '/').split('/').filter(Boolean).at(-1) ?? '';
  if (name === '' || name === '.' || name === '..') throw invalidArgument('Invalid filename');
  const key = `uploads/${namespace}/${id}/${name}`;
  checkUploadedKey(namespace, key);
  return key;
}

/** Keys that callers give for artifacts of templates must be those of uploads into the same namespace. Throws InvalidArgument. */
export function checkUploadedKey(namespace: string, key: string): void {
  const refuse = (why: string): never => {
    throw invalidArgument(`artifact key "${key}" ${why}: uploads have uploads/${namespace}/UUID/FILE`);
  };
  const parts = key.split('/');
  if (parts[0] !== 'uploads' || parts[1] !== namespace) refuse(`must start with "uploads/${namespace}/"`);
  if (key.includes('..')) refuse("must not contain '..'");
  if (parts.length !== 4 || parts.includes('') || parts[3] === '.') refuse('must have exactly four parts');
  if (!uuid.test(parts[2] ?? '')) refuse('must have a UUID as its third part');
}
