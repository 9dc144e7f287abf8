import { Text } from '@mantine/core';
import type { Application } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';

/** The fields of generated values that live holds otherwise, by object: they are no drift, so that no difference has them. `only` is the title of one object. */
export function GeneratedFields({ application, only }: { application: Application; only?: string | undefined }) {
  const noise = application.status?.diagnoses?.find(({ code }) => code === 'GeneratedValuesDiffer');
  const objects = (noise?.evidence ?? []).filter(({ name }) => only === undefined || name === only);
  if (objects.length === 0) return null;
  return (
    <section className="panel" style={{ padding: '8px 16px' }} aria-label={t('Generated values')}>
      <Text size="sm" fw={600}>
        {t('Generated values are not compared')}
      </Text>
      <Text size="sm" className="soft">
        {t(
          'Live holds other values than those that were recorded. That is no drift; a sync by hand would apply the recorded ones.',
        )}
      </Text>
      {objects.map(({ name, value }) => (
        <Text key={name} size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {name}: <span className="mono">{value}</span>
        </Text>
      ))}
    </section>
  );
}
