import { useQueryClient } from '@tanstack/react-query';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { repositoryBody, repositoryFields, templateFields, writeFields } from '../../settings/repository-fields.ts';
import type { FieldSpec, Values } from '../forms/form-fields.ts';
import { SettingsForm } from '../forms/settings-form.tsx';

/** Registers a repository, or puts other credentials in the place of those that are known. */
export function RepositoryForm({ initial, close }: { initial?: Values; close: () => void }) {
  const queries = useQueryClient();
  const stored = initial !== undefined;
  return (
    <SettingsForm
      fields={repositoryFields}
      initial={initial ?? { way: 'https' }}
      action={stored ? 'Replace' : 'Connect'}
      trial={{
        label: 'Test connection',
        run: async (values) => {
          await settingsApi.testRepository(values.repo ?? '', repositoryBody(values));
          return t('It answers, and the credentials are taken.');
        },
      }}
      effect={({ repo, project }) =>
        stored
          ? t('What is known of {repo} is replaced by what stands here; secrets that are left empty are forgotten.', {
              repo: repo ?? '',
            })
          : repo
            ? t(
                'Applications of {scope} may then use {repo}, if their project permits it. Credentials are kept in a Secret of the control plane.',
                {
                  scope: project ? t('project {project}', { project }) : t('all projects'),
                  repo,
                },
              )
            : undefined
      }
      run={async (values) => {
        await settingsApi.addRepository(repositoryBody(values));
        await queries.invalidateQueries({ queryKey: ['repositories'] });
      }}
      done={close}
    />
  );
}

export function TemplateForm({ close }: { close: () => void }) {
  const queries = useQueryClient();
  return (
    <SettingsForm
      fields={templateFields as readonly FieldSpec[]}
      initial={{ way: 'https' }}
      action="Save"
      effect={({ url }) =>
        url
          ? t('Every repository whose address begins with {url} and has no credentials of its own uses these.', { url })
          : undefined
      }
      run={async (values) => {
        await settingsApi.addTemplate(repositoryBody(values));
        await queries.invalidateQueries({ queryKey: ['repository-templates'] });
      }}
      done={close}
    />
  );
}

/** Registers credentials by which the hydrator pushes. */
export function WriteForm({ close }: { close: () => void }) {
  const queries = useQueryClient();
  return (
    <SettingsForm
      fields={writeFields}
      initial={{ way: 'https' }}
      action="Save"
      effect={({ repo }) =>
        repo
          ? t('Hydrated manifests are pushed to {repo} with these. What is read stays with the credentials above.', {
              repo,
            })
          : undefined
      }
      run={async (values) => {
        await settingsApi.addWriteRepository(repositoryBody(values));
        await queries.invalidateQueries({ queryKey: ['write-repositories'] });
      }}
      done={close}
    />
  );
}
