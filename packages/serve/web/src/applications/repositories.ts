import { t } from '../i18n/texts.ts';

/** `2 of the last 3 checks failed`: what the marks of results mean, for screens that are not seen. */
export function resultWords(results: string): string {
  const failed = [...results].filter((result) => result === 'F').length;
  const count = results.length;
  if (failed === 0)
    return count === 1 ? t('the last check succeeded') : t('the last {count} checks succeeded', { count });
  if (failed === count)
    return count === 1 ? t('the last check failed') : t('the last {count} checks failed', { count });
  return t('{failed} of the last {count} checks failed', { failed, count });
}
