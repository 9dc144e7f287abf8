import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../i18n/texts.ts';

/** Title of a page of settings, what it is for, and what can be done. */
export function SettingsHead({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <div style={{ minWidth: 0 }}>
        <Title order={2}>{t(title)}</Title>
        {about && (
          <Text size="sm" className="soft">
            {t(about)}
          </Text>
        )}
      </div>
      {children && <Group gap="sm">{children}</Group>}
    </Group>
  );
}
