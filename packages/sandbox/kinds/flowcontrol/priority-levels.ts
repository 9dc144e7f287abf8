import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors, Strategy } from '@tiphys/apimachinery';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateFlowConditions } from './flow-schemas.ts';

interface Queuing {
  handSize?: number;
  queues?: number;
  queueLengthLimit?: number;
}

interface Limited {
  nominalConcurrencyShares?: number;
  lendablePercent?: number;
  borrowingLimitPercent?: number;
  limitResponse?: { type?: string; queuing?: Queuing };
}

interface Level {
  type?: string;
  exempt?: Limited;
  limited?: Limited;
}

export const priorityLevelConfiguration: Strategy = {
  metaRulesOnUpdate: true,
  generation: true,
  statusSubresource: true,
  defaults(object) {
    const { exempt, limited } = (object.spec ?? {}) as Level;
    if (exempt) {
      exempt.nominalConcurrencyShares ??= 0;
      exempt.lendablePercent ??= 0;
    }
    if (!limited) return;
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
    const { queuing } = limited.limitResponse ?? {};
    if (!queuing) return;
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  },
  validate(object, errors) {
    if (Object.hasOwn(object.metadata.annotations ?? {}, PRESERVE_ZERO))
      errors.forbidden('metadata.annotations', `annotation '${PRESERVE_ZERO}' is forbidden`);
    const { type = '', exempt, limited } = (object.spec ?? {}) as Level;
    if ((object.metadata.name === 'exempt') !== (type === 'Exempt'))
      errors.invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'");
    if (type === 'Exempt') {
      if (limited) errors.forbidden('spec.limited', 'must be nil if the type is not Limited');
      if (exempt) validateShares(exempt, 'spec.exempt', errors);
    } else if (type === 'Limited') {
      if (exempt) errors.forbidden('spec.exempt', 'must be nil if the type is Limited');
      if (limited) validateLimited(limited, 'spec.limited', errors);
      else errors.required('spec.limited', 'must not be empty when type is Limited');
    } else errors.notSupported('spec.type', type, ['Exempt', 'Limited']);
    validateFlowConditions(object.status, errors);
  },
  validateUpdate({ metadata, spec }, old, errors) {
    const rest = ({ exempt: _, ...kept }: Level) => kept;
    if (metadata.name === 'exempt' && !isDeepStrictEqual(rest(spec as Level), rest(old.spec as Level)))
      errors.invalid('spec', spec, "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value");
    if (metadata.name === 'catch-all' && !isDeepStrictEqual(spec, old.spec))
      errors.invalid('spec', spec, "spec of 'catch-all' must equal the fixed value");
  },
  validateStatus: ({ status }, _old, errors) => validateFlowConditions(status, errors),
};

/** Of an older version, whose objects tell with it that a zero is meant. */
const PRESERVE_ZERO = 'flowcontrol.k8s.io/preserve-zero-concurrency-shares';

function validateLimited(limited: Limited, at: string, errors: FieldErrors): void {
  validateShares(limited, at, errors, () =>
    validateResponse(limited.limitResponse ?? {}, `${at}.limitResponse`, errors),
  );
  const { borrowingLimitPercent: percent } = limited;
  if ((percent ?? 0) < 0)
    errors.invalid(`${at}.borrowingLimitPercent`, percent, 'if specified, must be a non-negative integer');
}

function validateShares(limited: Limited, at: string, errors: FieldErrors, between?: () => void): void {
  const { nominalConcurrencyShares: shares = 0, lendablePercent: percent = 0 } = limited;
  if (shares < 0) errors.invalid(`${at}.nominalConcurrencyShares`, shares, 'must be a non-negative integer');
  between?.();
  if (percent < 0 || percent > 100)
    errors.invalid(`${at}.lendablePercent`, percent, 'must be between 0 and 100, inclusive');
}

function validateResponse(
  { type = '', queuing }: { type?: string; queuing?: Queuing },
  at: string,
  errors: FieldErrors,
) {
  if (type === 'Reject') {
    if (queuing) errors.forbidden(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited');
  } else if (type !== 'Queue') errors.notSupported(`${at}.type`, type, ['Queue', 'Reject']);
  else if (!queuing) errors.required(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited');
  else validateQueuing(queuing, `${at}.queuing`, errors);
}

const MAX_QUEUES = 10_000_000;

const HASH_BITS = 60;

function validateQueuing({ handSize = 0, queues = 0, queueLengthLimit = 0 }: Queuing, at: string, errors: FieldErrors) {
  if (queueLengthLimit <= 0) errors.invalid(`${at}.queueLengthLimit`, queueLengthLimit, 'must be positive');
  if (queues <= 0) errors.invalid(`${at}.queues`, queues, 'must be positive');
  else if (queues > MAX_QUEUES) errors.invalid(`${at}.queues`, queues, `must not be greater than ${MAX_QUEUES}`);
  const bits = handSize > 0 && handSize <= queues ? Math.ceil(Math.log2(queues)) * handSize : 0;
  if (handSize <= 0) errors.invalid(`${at}.handSize`, handSize, 'must be positive');
  else if (handSize > queues)
    errors.invalid(`${at}.handSize`, handSize, `should not be greater than queues (${queues})`);
  else if (bits > HASH_BITS)
    errors.invalid(
      `${at}.handSize`,
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${HASH_BITS}`,
    );
}

export const priorityLevelConfigurations: BuiltinKind = {
  strategy: priorityLevelConfiguration,
  cells: (o, now) => {
    const queuing = 'spec.limited.limitResponse.queuing';
    return [
      name(o),
      textAt(o, 'spec.type'),
      at(o, 'spec.limited.nominalConcurrencyShares') ?? '<none>',
      ...['queues', 'handSize', 'queueLengthLimit'].map((field) => at(o, `${queuing}.${field}`) ?? '<none>'),
      age(o, now),
    ];
  },
};
