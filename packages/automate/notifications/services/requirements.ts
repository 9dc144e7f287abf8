import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import { optionMissing, recipientUnknown } from '../model/diagnoses.ts';
import type { Destination, Json } from '../model/notification.ts';
import { textMap } from '../model/notification.ts';

/** The address or key that a service has for the recipient, from its map of them. */
export function forRecipient(table: Json | undefined, { recipient, service }: Destination, option: string): string {
  const known = textMap(table);
  if (Object.hasOwn(known, recipient) && known[recipient]) return known[recipient];
  throw failure(recipientUnknown, {
    message: `The service ${service} has nothing for the recipient ${recipient} in ${option}`,
    evidence: { recipients: Object.keys(known).sort().join(', ') || '(none)' },
    remedies: [`Add ${recipient} to ${option} of the service, or subscribe one of the recipients that are there`],
  });
}

export function missing(what: string, remedy: string): DiagnosisError {
  return failure(optionMissing, { message: what, remedies: [remedy] });
}

/** A field whose text is JSON, as templates write attachments. Throws where it is none. */
export function jsonField<T>(text: string, field: string, fallback: T): T {
  if (text.trim() === '') return fallback;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw failure(optionMissing, {
      message: `The field ${field} of the template is no JSON: ${(error as Error).message}`,
      evidence: { rendered: text.slice(0, 500) },
      remedies: ['Correct the template; texts of objects need toJson or quotes that are escaped'],
    });
  }
}

export const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
