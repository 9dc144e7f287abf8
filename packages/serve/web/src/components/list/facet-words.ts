import type { Facet } from '../../api/application-list.ts';
import { t } from '../../i18n/texts.ts';

const ofStates: ReadonlySet<Facet> = new Set(['health', 'sync', 'operation', 'autoSync']);

/** A value of a facet in the page's language; names of projects, namespaces and the like stay as they are. */
export function facetWords(facet: Facet, value: string): string {
  if (value === '') return t('none');
  return ofStates.has(facet) ? t(value) : value;
}
