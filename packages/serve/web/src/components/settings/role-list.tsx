import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import type { Project, ProjectRole } from '../../api/model.ts';
import { settingsApi } from '../../api/settings.ts';
import { t } from '../../i18n/texts.ts';
import { TokenForm, TokenTable } from '../../pages/settings/accounts-page.tsx';
import { roleFields, roleOf, roleValues } from '../../settings/project-form.ts';
import { ConfirmButton } from '../forms/confirm-button.tsx';
import { SettingsForm } from '../forms/settings-form.tsx';
import { SettingsDrawer } from './settings-drawer.tsx';

interface RoleListProps {
  project: Project;
  save: (spec: Partial<Project['spec']>) => Promise<unknown>;
  changed: () => void;
}

/** The roles of a project, what they may do, and the tokens of each. */
export function RoleList({ project, save, changed }: RoleListProps) {
  const roles = project.spec.roles ?? [];
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text size="sm" className="soft">
          {t('A role is for machines by its tokens, and for people by groups of the identity provider.')}
        </Text>
        <SettingsDrawer label={t('Add a role')} title={t('Add a role')} variant="default">
          {(close) => (
            <SettingsForm
              fields={roleFields}
              initial={{ may: 'get *' }}
              action="Add"
              run={(values) => save({ roles: [...roles, roleOf(values, project.metadata.name)] })}
              done={close}
            />
          )}
        </SettingsDrawer>
      </Group>
      {roles.map((role) => (
        <RolePanel key={role.name} role={role} project={project} save={save} changed={changed} />
      ))}
    </Stack>
  );
}

function RolePanel({ role, project, save, changed }: RoleListProps & { role: ProjectRole }) {
  const { name, description, groups, policies } = role;
  const roles = project.spec.roles ?? [];
  const own = project.metadata.name;
  const tokens = project.status?.jwtTokensByRole?.[name]?.items ?? role.jwtTokens ?? [];
  return (
    <section className="panel" style={{ padding: 16 }} aria-label={name}>
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Text fw={600}>{name}</Text>
          {(groups ?? []).map((group) => (
            <Badge key={group} variant="light" color="gray" tt="none">
              {group}
            </Badge>
          ))}
        </Group>
        <Group gap="sm">
          <SettingsDrawer
            label={t('New token')}
            title={t('New token of {name}', { name })}
            variant="default"
            size="compact-sm"
          >
            {() => <TokenForm run={(body) => settingsApi.addRoleToken(own, name, body)} changed={changed} />}
          </SettingsDrawer>
          <SettingsDrawer label={t('Edit')} title={name} variant="default" size="compact-sm">
            {(close) => (
              <SettingsForm
                fields={roleFields}
                initial={roleValues(role, own)}
                action="Save"
                effect={() => t('It holds from now on for all tokens and members of the role.')}
                run={(values) => save({ roles: roles.map((one) => (one === role ? roleOf(values, own, role) : one)) })}
                done={close}
              />
            )}
          </SettingsDrawer>
          <ConfirmButton
            label={t('Remove')}
            title={t('Remove {name}', { name })}
            effect={t('Its tokens and members lose what it gave them, at once.')}
            run={() => save({ roles: roles.filter((one) => one !== role) })}
            done={changed}
          />
        </Group>
      </Group>
      {description && <Text size="sm">{description}</Text>}
      {(policies ?? []).map((line) => (
        <Code key={line} block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {line}
        </Code>
      ))}
      <TokenTable
        tokens={tokens.map(({ id, iat, exp }) => ({ id: id || String(iat), issued: iat, expires: exp }))}
        remove={(id) =>
          settingsApi.removeRoleToken(
            own,
            name,
            tokens.find((token) => (token.id || String(token.iat)) === id)?.iat ?? 0,
          )
        }
        changed={changed}
      />
    </section>
  );
}
