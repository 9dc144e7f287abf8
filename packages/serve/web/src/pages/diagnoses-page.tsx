import { diagnoses } from 'virtual:diagnoses';
import { Anchor, Breadcrumbs, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDeferredValue, useState } from 'react';
import { navigate } from '../browser/router.ts';
import { PageLink } from '../components/common/page-link.tsx';
import { SettingsHead } from '../components/settings/settings-head.tsx';
import { t } from '../i18n/texts.ts';

/** What diagnoses mean, as the documentation has it; of one, or of all by words. */
export function DiagnosesPage({ code }: { code: string }) {
  if (code === '') return <AllDiagnoses />;
  const found = diagnoses.find((one) => one.code === code);
  return (
    <Stack maw={900} mx="auto" gap="md">
      <Breadcrumbs>
        <Anchor component="button" onClick={() => navigate('/diagnoses')}>
          {t('Diagnoses')}
        </Anchor>
        <Text>{code}</Text>
      </Breadcrumbs>
      <Title order={2} style={{ overflowWrap: 'anywhere' }}>
        {code}
      </Title>
      {found ? <Prose text={found.text} /> : <Text className="soft">{t('No diagnosis has this code.')}</Text>}
    </Stack>
  );
}

function AllDiagnoses() {
  const [text, setText] = useState('');
  const words = useDeferredValue(text).toLowerCase().split(/\s+/).filter(Boolean);
  const found = diagnoses.filter((one) => {
    const own = `${one.code} ${one.text}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
  return (
    <Stack maw={900} mx="auto" gap="md">
      <SettingsHead title="Diagnoses" about="Every failure that is named, by the code that diagnoses carry." />
      <TextInput
        placeholder={t('Search')}
        aria-label={t('Search')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-search
      />
      {found.length === 0 && <Text className="soft">{t('Nothing matches the filter.')}</Text>}
      <dl className="diagnosis-list">
        {found.map((one) => (
          <div key={one.code}>
            <dt>
              <PageLink to={`diagnoses/${one.code}`} className="diagnosis-code">
                {one.code}
              </PageLink>
            </dt>
            <dd className="soft">{one.text.split('\n', 1)[0]}</dd>
          </div>
        ))}
      </dl>
    </Stack>
  );
}

/** Paragraphs, examples between fences, and lists: all that the documentation of diagnoses has. */
function Prose({ text }: { text: string }) {
  const parts = text.split(/^```\n?/m);
  return parts.map((part, index) => {
    const own = part.trim();
    if (own === '') return null;
    if (index % 2 === 1)
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes
        <pre key={index} className="snippet mono">
          {own}
        </pre>
      );
    return own.split(/\n\n+/).map((block) =>
      block.startsWith('- ') ? (
        block
          .split(/^- /m)
          .filter(Boolean)
          .map((item) => (
            <Text key={item} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              → {item.trim()}
            </Text>
          ))
      ) : (
        <Text key={block} style={{ overflowWrap: 'anywhere' }}>
          {block}
        </Text>
      ),
    );
  });
}
