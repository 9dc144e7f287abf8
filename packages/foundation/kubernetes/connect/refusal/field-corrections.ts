import type { Remedy } from '@tiphys/diagnosis';
import type { StatusCause } from './refusal.ts';

const mostShown = 5;

/** What to do about each field that the API server refuses, by the reasons that Kubernetes gives. */
export function correctionsOf(causes: readonly StatusCause[]): Remedy[] {
  const texts = [...new Set(causes.map(correctionOf))];
  if (texts.length === 0) return [{ text: 'Correct the manifest' }];
  return texts.slice(0, mostShown).map((text) => ({ text }));
}

function correctionOf({ reason, message = '', field: told = '' }: StatusCause): string {
  // the path of a scale subresource begins with a dot
  const field = told.replace(/^\./, '');
  if (!field || field === '<nil>') return 'Correct the manifest as the message says';
  const [, wanted] = /(?:supported|valid) values: (.{1,500})$/.exec(message) ?? [];
  if (wanted) return `Write one of ${wanted} in ${field}`;
  const [, stored] = /^Invalid value: "([^"]{1,63})": missing from spec\.versions/.exec(message) ?? [];
  if (field.startsWith('status.storedVersions') && stored)
    return `Keep version ${stored} in spec.versions, with served: false if nobody may use it, until every object is written anew and ${stored} is out of status.storedVersions`;
  const [, value = ''] = /^(?:Duplicate value|Not found): (.{1,200})$/.exec(message) ?? [];
  switch (reason) {
    case 'FieldValueRequired':
      return `Add ${field}`;
    case 'FieldValueDuplicate':
      return `Change or remove ${field}: ${value || 'its value'} is there twice`;
    case 'FieldValueNotFound':
      return `Correct ${field}, or add what it names: nothing is called ${value || 'so'}`;
    default:
      return `Correct ${field} in the manifest`;
  }
}
