import type { KeyReader } from '../keys/key-reader.ts';
import type { SecureHeader } from '../spec/sensor.ts';
import { ActionError } from './trigger.ts';

/** The value of a header that comes from a Secret or a ConfigMap. */
export async function secureHeaderValue({ name, valueFrom }: SecureHeader, keys: KeyReader): Promise<string> {
  if (valueFrom?.secretKeyRef) return keys.secret(valueFrom.secretKeyRef);
  if (valueFrom?.configMapKeyRef) return keys.configMap(valueFrom.configMapKeyRef);
  throw new ActionError(`secureHeader ${name} has neither secretKeyRef nor configMapKeyRef`);
}
