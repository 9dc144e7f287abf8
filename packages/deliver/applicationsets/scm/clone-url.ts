import { failure } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';

/** The address by protocol; `ssh` if none is wanted. Throws for a protocol that the host does not have. */
export function cloneUrl(
  protocol: string | undefined,
  host: string,
  urls: Readonly<Record<string, string | undefined>>,
): string {
  const wanted = protocol || 'ssh';
  if (Object.hasOwn(urls, wanted)) return urls[wanted] ?? '';
  throw failure(generatorInvalid, {
    message: `unknown clone protocol for ${host} ${wanted}`,
    place: { field: 'scmProvider.cloneProtocol' },
    remedies: [`Use ${Object.keys(urls).join(' or ')}`],
  });
}
