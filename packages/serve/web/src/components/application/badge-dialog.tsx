import { Modal, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ApplicationRef, api } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';

/** The badge that pages elsewhere show of an application, and what is pasted there; nothing while the settings do not offer badges. */
export function StatusBadgeFact({ reference }: { reference: ApplicationRef }) {
  const settings = useQuery({ queryKey: ['settings'], queryFn: api.settings, staleTime: 60_000 });
  const [opened, { open, close }] = useDisclosure();
  if (!settings.data?.statusBadgeEnabled) return null;
  const query = new URLSearchParams({ name: reference.name, namespace: reference.namespace, revision: 'true' });
  const root = settings.data.statusBadgeRootUrl || document.baseURI;
  const image = new URL(`api/badge?${query}`, root.endsWith('/') ? root : `${root}/`).href;
  const link = new URL(
    `applications/${encodeURIComponent(reference.namespace)}/${encodeURIComponent(reference.name)}`,
    document.baseURI,
  ).href;
  const name = t('Status of {name}', { name: reference.name });
  return (
    <>
      <dt>{t('Badge')}</dt>
      <dd>
        <UnstyledButton className="badge-button" onClick={open} aria-label={t('Status badge')}>
          <img src={`api/badge?${query}`} alt={name} height={18} />
        </UnstyledButton>
        <Modal opened={opened} onClose={close} title={t('Status badge')} size="lg">
          <Stack gap="sm">
            <Text size="sm" className="soft">
              {t('Anybody who can reach this server sees it, without a login.')}
            </Text>
            <Copied label="Markdown" text={`[![${name}](${image})](${link})`} />
            <Copied label="HTML" text={`<a href="${link}"><img src="${escaped(image)}" alt="${name}"></a>`} />
            <Copied label={t('Address')} text={image} />
          </Stack>
        </Modal>
      </dd>
    </>
  );
}

const escaped = (address: string) => address.replaceAll('&', '&amp;');

function Copied({ label, text }: { label: string; text: string }) {
  return (
    <TextInput
      label={label}
      value={text}
      readOnly
      classNames={{ input: 'mono' }}
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}
