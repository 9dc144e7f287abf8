import { Anchor, Badge, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../components/common/failure.tsx';
import { Loading } from '../../components/common/loading.tsx';
import { SettingsHead } from '../../components/settings/settings-head.tsx';
import { t } from '../../i18n/texts.ts';

interface Operation {
  tags: string[];
  operationId: string;
  parameters: { name: string; in: string; type?: string; required?: boolean; schema?: { $ref?: string } }[];
  responses: Record<string, { schema?: { $ref?: string } }>;
}

interface FieldType {
  type?: string;
  format?: string;
  $ref?: string;
  items?: FieldType;
  additionalProperties?: FieldType;
}

type Definitions = Readonly<Record<string, { properties?: Record<string, FieldType> }>>;

interface Described {
  paths: Record<string, Record<string, Operation>>;
  definitions?: Definitions;
}

const colours: Readonly<Record<string, string>> = {
  get: 'blue',
  post: 'teal',
  put: 'yellow',
  patch: 'yellow',
  delete: 'red',
};
const address = 'swagger.json';

/** The methods of the REST API: what each takes and gives. */
export function ApiPage() {
  const [text, setText] = useState('');
  const api = useQuery({
    queryKey: ['api-description'],
    queryFn: async () => (await (await fetch(new URL(address, document.baseURI))).json()) as Described,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const all = Object.entries(api.data?.paths ?? {}).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const found = all.filter(({ path, operation }) =>
    `${path} ${operation.operationId}`.toLowerCase().includes(text.toLowerCase()),
  );
  const tags = [...new Set(found.map(({ operation }) => operation.tags[0] ?? ''))].sort();
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <SettingsHead title="API" about="REST as Argo CD has it; gRPC and gRPC-web answer at the same address.">
        <Anchor href={address} size="sm">
          OpenAPI 2.0
        </Anchor>
      </SettingsHead>
      <TextInput
        placeholder={t('Search')}
        aria-label={t('Search')}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-search
      />
      {api.isLoading && <Loading height={240} />}
      {api.error && <Failure error={api.error} retry={() => void api.refetch()} />}
      {api.data && found.length === 0 && <Text className="soft">{t('No method has this name.')}</Text>}
      {tags.map((tag) => (
        <section key={tag} aria-label={tag}>
          <Title order={3} mb="xs">
            {tag}
          </Title>
          {found
            .filter(({ operation }) => operation.tags[0] === tag)
            .map(({ path, verb, operation }) => (
              <details key={`${verb} ${path}`} className="panel api-method">
                <summary>
                  <Badge color={colours[verb] ?? 'gray'} variant="light" radius="sm" w={74}>
                    {verb}
                  </Badge>
                  <span className="mono">{path}</span>
                </summary>
                <OperationView operation={operation} definitions={api.data?.definitions ?? {}} />
              </details>
            ))}
        </section>
      ))}
    </Stack>
  );
}

function OperationView({ operation, definitions }: { operation: Operation; definitions: Definitions }) {
  const { parameters, responses } = operation;
  const answer = responses['200']?.schema;
  return (
    <div style={{ padding: '6px 14px 12px' }}>
      <dl className="facts">
        {parameters.map(({ name, in: where, type, schema }) => (
          <div key={`${where} ${name}`} style={{ display: 'contents' }}>
            <dt>{where}</dt>
            <dd className="mono" style={{ whiteSpace: 'normal' }}>
              {name} <TypeView type={schema ?? (type ? { type } : {})} definitions={definitions} />
            </dd>
          </div>
        ))}
        <dt>{t('Answer')}</dt>
        <dd className="mono" style={{ whiteSpace: 'normal' }}>
          {answer && <TypeView type={answer} definitions={definitions} />}
        </dd>
      </dl>
    </div>
  );
}

/** A type; of one with fields those, when somebody opens it: types may hold themselves. */
function TypeView({ type, definitions }: { type: FieldType; definitions: Definitions }) {
  const [opened, setOpened] = useState(false);
  const inner = type.items ?? type.additionalProperties ?? type;
  const name = inner.$ref?.split('/').at(-1);
  const fields = Object.entries(definitions[name ?? '']?.properties ?? {});
  const shown = `${name ?? [inner.type, inner.format].filter(Boolean).join(' ')}${type.items ? ' []' : type.additionalProperties ? ' {}' : ''}`;
  if (fields.length === 0) return <span className="soft">{shown}</span>;
  return (
    <details className="api-type" onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>{shown}</summary>
      {opened && (
        <ul>
          {fields.map(([field, inside]) => (
            <li key={field}>
              {field} <TypeView type={inside} definitions={definitions} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
