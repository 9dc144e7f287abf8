import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Identity } from '../rpc/identity.ts';
import { Enforcer } from './enforcer.ts';
import { PolicyBook, type ProjectRoles } from './policy-book.ts';

/** A random policy with requests, and what the RBAC package of Argo CD 3.5.1 answers to each; `refused` if it cannot read the policy. */
interface Case {
  readonly config: Record<string, string>;
  readonly sub: string;
  readonly anon: boolean;
  readonly groups: readonly string[];
  readonly projects: Readonly<Record<string, ProjectRoles['roles']>>;
  readonly requests: readonly [string, string, string][];
  readonly answers: 'refused' | readonly boolean[];
}

const cases = JSON.parse(
  gunzipSync(readFileSync(join(import.meta.dirname, 'testdata/decisions.json.gz'))).toString('utf8'),
) as Case[];

test(`${cases.length} random policies decide as those of Argo CD`, () => {
  for (const { config, sub, anon, groups, projects, requests, answers } of cases) {
    let refused = false;
    const book = new PolicyBook({
      config: () => config,
      onRefused: () => {
        refused = true;
      },
    });
    const enforcer = new Enforcer({
      policies: book.current(),
      project: (name) => projects[name] && { name, roles: projects[name] },
    });
    const identity: Identity = {
      subject: sub,
      groups,
      issuer: 'argocd',
      issuedAt: 0,
      expiresAt: undefined,
      id: '',
      capability: 'login',
    };
    const shown = JSON.stringify({ config, sub, anon, groups, projects });
    assert.equal(refused, answers === 'refused', shown);
    if (answers === 'refused') continue;
    const decided = requests.map(([resource, action, object]) =>
      enforcer.allows(anon ? undefined : identity, resource, action, object),
    );
    assert.deepEqual(decided, answers, `${shown} ${JSON.stringify(requests)}`);
    const listed = requests.map(([resource, action, object]) =>
      enforcer.decider(anon ? undefined : identity, resource, action)(object),
    );
    assert.deepEqual(listed, answers, `${shown} ${JSON.stringify(requests)}, asked for a list`);
  }
});
